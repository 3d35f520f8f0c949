# The clock: how long each phase took, on the monotonic clock, with the device synchronised.

const NANOSECONDS = 1e9

"""
    progress(step)

Tell the person who waits what begins now.
"""
function progress(step)
    println("@progress ", step)
    flush(stdout)
end

"""
    Phases(first_line_ns)

The seconds of each phase, as a record spells them; `epoch_s` and `evaluate_s` are lists. `synchronize` waits until the device has
finished; it is known once the framework is loaded.
"""
mutable struct Phases
    seconds::Dict{String, Any}
    synchronize::Any
end

function Phases(first_line_ns)
    # The runner's clock is this one: `time_ns` reads CLOCK_MONOTONIC.
    spawned_ns = parse(Int, get(ENV, "ROSETTA_SPAWNED_MONOTONIC_NS", string(first_line_ns)))
    start_s = (Int(first_line_ns) - spawned_ns) / NANOSECONDS
    seconds = Dict{String, Any}("start_s" => start_s, "epoch_s" => Float64[], "evaluate_s" => Float64[])
    return Phases(seconds, () -> nothing)
end

"""
    phase(work, phases, name; since_ns = time_ns())

Time `work()` as phase `name`, or from the earlier reading `since_ns` to its end. Returns what it returns.
"""
function phase(work, phases, name; since_ns = time_ns())
    result = work()
    phases.synchronize()
    seconds = (time_ns() - since_ns) / NANOSECONDS
    if get(phases.seconds, name, nothing) isa Vector
        push!(phases.seconds[name], seconds)
    else
        phases.seconds[name] = seconds
    end
    return result
end
