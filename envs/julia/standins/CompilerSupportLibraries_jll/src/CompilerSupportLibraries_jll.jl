# What it adds to Julia itself cannot be kept in a cache of compiled code.
__precompile__(false)

"""
Stands in for the libraries of GCC, which Debian's Julia has beside it. juliacall loads this module before anything
else, so it also adds what juliacall and PythonCall use of Julia 1.6: `Pkg.activate(path; io)` and `Meta.parseall`.
"""
module CompilerSupportLibraries_jll

import Pkg

if VERSION < v"1.6"
    @eval Pkg.API activate(path::AbstractString; io = stderr) = (Base.ACTIVE_PROJECT[] = abspath(path); nothing)
    @eval Meta parseall(text::AbstractString; filename = "none") = Base.parse_input_line(String(text); filename = filename)
end

end
