# The check: what proves that the row computed the same as all others (docs/contract.md, section 4).

"""
    check(implementation, job, model, weights, tensors)

Work through the check with `model` as the timed work left it, the initial `weights` and the check's `tensors`, both
loaded. Returns the record's `check`.
"""
function check(implementation, job, model, weights, tensors)
    as_timed = options(job, job["hyperparameters"])
    as_checked = options(job, job["check"]["hyperparameters"])

    function outputs(model)
        found = predict(implementation, model, tensors["inputs"])
        require_outputs(found, job["check"]["inputs"]["shape"][1])
        return copy(found)
    end

    repeat_difference = maximum(abs.(outputs(model) .- outputs(model)))
    trains = haskey(tensors, "batches")
    answer = Dict{String, Any}(
        "outputs_before" => rows(outputs(build(implementation, trains ? as_timed : as_checked, weights))),
        "repeat_difference" => Float64(repeat_difference),
    )
    if trains
        model = build(implementation, as_checked, weights)
        losses = train(implementation, model, tensors["inputs"], tensors["labels"], tensors["batches"])
        require_losses(losses, job["check"]["batches"]["shape"][1])
        answer["losses"] = losses
        answer["outputs_after"] = rows(outputs(model))
    end
    return answer
end

# The outputs of each example, as a record spells them.
rows(outputs) = collect(eachcol(outputs))
