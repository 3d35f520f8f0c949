# The order of work (docs/contract.md, section 4).

"""
    run(job_path, record_path, first_line_ns)

Do the job, write the record and return the exit code.
"""
function run(job_path, record_path, first_line_ns)
    packages, folder = String[], ""
    local record
    try
        job = read_job(job_path)
        packages, folder = job["packages"], dirname(job["source"])
        record = work(job, first_line_ns)
    catch error
        backtrace = catch_backtrace()
        showerror(stderr, error, backtrace)
        println(stderr)
        write_record(record_path, refusal(error, backtrace, packages, folder))
        return 1
    end
    write_record(record_path, record)
    return 0
end

"""
    work(job, first_line_ns)

Time each phase, work through the check and give the record.
"""
function work(job, first_line_ns)
    phases = Phases(first_line_ns)
    settings = options(job, job["hyperparameters"])

    progress("import")
    implementation = phase(phases, "import_s"; since_ns = first_line_ns) do
        implementation = Implementation(job["source"])
        configure(implementation, settings)
        implementation
    end
    phases.synchronize = () -> call(implementation, :synchronize)

    mapped, tensors, weights, check_tensors = phase(phases, "load_s") do
        mapped = map_tensors(job["tensors"])
        check_places = filter(entry -> first(entry) != "hyperparameters", job["check"])
        weights = load(implementation, map_tensors(job["weights"]))
        mapped, load(implementation, mapped), weights, load(implementation, map_tensors(check_places))
    end

    progress("build")
    model = phase(() -> build(implementation, settings, weights), phases, "build_s")

    progress("first step")
    record = Dict{String, Any}("contract" => CONTRACT)
    if haskey(tensors, "batches")
        merge!(record, train(implementation, model, tensors, job, phases))
    else
        first_inputs = first_examples(tensors["test_inputs"], settings.batch_size)
        outputs = phase(() -> predict(implementation, model, first_inputs), phases, "first_step_s")
        require_outputs(outputs, size(first_inputs)[end])
    end

    progress("predict")
    outputs = phase(() -> predict(implementation, model, tensors["test_inputs"]), phases, "predict_s")
    require_outputs(outputs, size(mapped["test_inputs"])[end])
    if haskey(mapped, "test_labels")
        record["accuracy"] = accuracy(outputs, mapped["test_labels"])
    else
        record["features"] = digest(outputs)
    end

    progress("check")
    record["check"] = check(implementation, job, model, weights, check_tensors)
    merge!(record, describe(implementation, settings))
    record["versions"] = merge(Dict("julia" => string(VERSION)), installed(job["packages"]))
    record["phases"] = phases.seconds
    return record
end

"The first `count` examples, or all if there are fewer; the examples lie along the last axis."
first_examples(inputs, count) = selectdim(inputs, ndims(inputs), 1:min(count, size(inputs)[end]))

"""
    train(implementation, model, tensors, job, phases::Phases)

Train: one batch, then the epochs. Returns the record's `losses` and, if the job asks for it, `epoch_accuracy`.
"""
function train(implementation, model, tensors, job, phases::Phases)
    inputs, labels, batches = tensors["train_inputs"], tensors["train_labels"], tensors["batches"]
    first_inputs = first_examples(tensors["test_inputs"], job["hyperparameters"]["batch_size"])
    first_losses = phase(phases, "first_step_s") do
        losses = train(implementation, model, inputs, labels, batches[:, 1:1, 1])
        predict(implementation, model, first_inputs)
        losses
    end
    require_losses(first_losses, 1)
    losses = Dict("first_step" => first_losses[1], "epochs" => [])
    accuracies = Float64[]
    for epoch in 1:job["epochs"]
        progress("epoch $epoch of $(job["epochs"])")
        steps = batches[:, :, epoch]
        epoch_losses = phase(() -> train(implementation, model, inputs, labels, steps), phases, "epoch_s")
        require_losses(epoch_losses, size(steps, 2))
        push!(losses["epochs"], epoch_losses)
        if get(job, "evaluate", false)
            outputs = phase(() -> predict(implementation, model, tensors["test_inputs"]), phases, "evaluate_s")
            test_labels = map_tensor(job["tensors"]["test_labels"])
            require_outputs(outputs, length(test_labels))
            push!(accuracies, accuracy(outputs, test_labels))
        end
    end
    answer = Dict{String, Any}("losses" => losses)
    isempty(accuracies) || (answer["epoch_accuracy"] = accuracies)
    return answer
end

"""
    installed(packages)

The versions of those packages that are installed.
"""
installed(packages) = filter(entry -> last(entry) !== nothing, versions(packages))
