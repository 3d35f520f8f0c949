# What a `framework.jl` throws where this machine lacks what the job asks for.

"""
    UnavailableError(message)

A device, a number format or a package that is not there: the row is `unavailable`, not `failed`.
"""
struct UnavailableError <: Exception
    message::String
end

Base.showerror(io::IO, error::UnavailableError) = print(io, error.message)
