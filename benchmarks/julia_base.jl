# Takes turns for julia_base.py: does the job's work once for each line on standard input, and prints its seconds of
# wall and CPU time. Started by `julia` or by juliacall; the job's path is in ROSETTA_JOB.
include("../julia/src/start.jl")

cpu_s() = ccall(:clock, Clong, ()) / 1e6

function take_turns()
    job = Rosetta.read_job(ENV["ROSETTA_JOB"])
    settings = Rosetta.options(job, job["hyperparameters"])
    implementation = Rosetta.Implementation(job["source"])
    Rosetta.configure(implementation, settings)
    weights, tensors = (Rosetta.load(implementation, Rosetta.map_tensors(job[key])) for key in ("weights", "tensors"))
    model = Rosetta.build(implementation, settings, weights)
    turn() =
        if job["epochs"] == 0
            Rosetta.predict(implementation, model, tensors["test_inputs"])
        else
            inputs, labels = tensors["train_inputs"], tensors["train_labels"]
            Rosetta.train(implementation, model, inputs, labels, tensors["batches"][:, :, 1])
        end
    while !isempty(readline())
        wall, cpu = time_ns(), cpu_s()
        turn()
        println((time_ns() - wall) / 1e9, " ", cpu_s() - cpu)
        flush(stdout)
    end
end

take_turns()
