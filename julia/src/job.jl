# Reads the job, and spells it as implementations see it.

const CONTRACT = 1

"""
    read_job(path)

Read a job. Throws an `ErrorException` if it speaks another version of the contract.
"""
function read_job(path)
    job = parse_json(read(path, String))
    if job["contract"] != CONTRACT
        error("The job is of contract $(job["contract"]); this harness speaks contract $CONTRACT.")
    end
    return job
end

"""
    options(job, hyperparameters)

What an implementation is given as `job`: a named tuple of the job's settings and each hyperparameter.
"""
function options(job, hyperparameters)
    settings = [Symbol(name) => job[name] for name in ("device", "precision", "compile", "threads", "seed")]
    append!(settings, [Symbol(name) => plain(value) for (name, value) in hyperparameters])
    return (; settings...)
end

# A list of numbers in a job is a vector of numbers, not of anything.
plain(value) = value
plain(values::Vector) = identity.(values)
