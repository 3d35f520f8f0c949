# Writes the record: an answer, or a refusal that says what went wrong and where.

const LANGUAGE_FOLDER = realpath(dirname(@__DIR__))
const HARNESS_FOLDER = realpath(@__DIR__)
const LONGEST_MESSAGE = 1000  # characters: a compiler's message can be a book

"""
    write_record(path, record)

Write the record, whole or not at all.
"""
function write_record(path, record)
    partial = joinpath(dirname(path), ".$(basename(path)).partial")
    open(io -> (write_json(io, record); println(io)), partial, "w")
    mv(partial, path; force = true)
end

"""
    refusal(error, backtrace, packages, folder)

The record of a job that could not be done. One of the framework's `packages` that is missing makes the row
`unavailable`; `folder` is the implementation's.
"""
function refusal(error, backtrace, packages, folder)
    cause, place = root_cause(error, backtrace, folder)
    told = sprint(showerror, cause)
    type = string(nameof(typeof(cause)))
    message = startswith(told, type) ? told : "$type: $told"
    message = first(join(split(message), " "), LONGEST_MESSAGE)
    status = is_unavailable(cause, packages) ? "unavailable" : "failed"
    return Dict("contract" => CONTRACT, "error" => Dict("status" => status, "message" => message, "where" => place))
end

"""
    is_unavailable(error, packages)

Whether the error says that something is not installed, or that this machine lacks it.
"""
is_unavailable(error, packages) = error isa UnavailableError
is_unavailable(error::ArgumentError, packages) =
    startswith(error.msg, "Package ") && any(package -> version(package) === nothing, packages)

"""
    root_cause(error, backtrace, folder)

The exception that was thrown first, and `file:line` where: what `include` and tasks wrap is unwrapped.
"""
function root_cause(error, backtrace, folder)
    if error isa LoadError
        # A syntax error has no frame of its own.
        cause, place = root_cause(error.error, backtrace, folder)
        return cause, is_syntax(cause) ? shown(error.file, error.line) : place
    elseif error isa TaskFailedException
        return root_cause(last(exceptions(error.task))..., folder)
    elseif error isa CompositeException
        return root_cause(first(error.exceptions), backtrace, folder)
    end
    return error, where_thrown(backtrace, folder)
end

exceptions(task) =
    isdefined(Base, :current_exceptions) ? Tuple.(Base.current_exceptions(task)) : Base.catch_stack(task)

is_syntax(error) = nameof(typeof(error)) == :ParseError || (error isa ErrorException && startswith(error.msg, "syntax"))

"""
    where_thrown(backtrace, folder)

`file:line` of the deepest frame in the implementation's `folder`, else in the harness.
"""
function where_thrown(backtrace, folder)
    frames = [(abspath(string(frame.file)), frame.line) for frame in stacktrace(backtrace)]
    for ours in (folder, HARNESS_FOLDER)
        place = findfirst(frame -> isfile(first(frame)) && inside(first(frame), ours), frames)
        place === nothing || return shown(frames[place]...)
    end
    return ""
end

inside(path, folder) = isdir(folder) && startswith(realpath(path), joinpath(realpath(folder), ""))

# `file:line`, relative to the language's folder where the file is in it.
shown(path, line) = "$(inside(path, LANGUAGE_FOLDER) ? relpath(realpath(path), LANGUAGE_FOLDER) : path):$line"
