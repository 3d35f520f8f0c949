# Makes a framework's environment: `julia envs/julia/environment.jl FRAMEWORK`. Needs Julia's registry.
# Its packages are those of julia/FRAMEWORK/Project.toml; the extras there, CUDA's, only where there is an NVIDIA GPU.
using Pkg

include("../../julia/src/environments.jl")

isolate()
filter!(!=(joinpath(homedir(), ".julia")), DEPOT_PATH)  # a registry there may be old

framework = ARGS[1]
project = joinpath(@__DIR__, "..", "..", "julia", framework, "Project.toml")
# Whole or not at all: an environment that is there is complete.
partial = environment(framework) * ".partial"
rm(partial; recursive = true, force = true)
mkpath(partial)
cp(project, joinpath(partial, "Project.toml"))

Pkg.activate(partial)
if Sys.which("nvidia-smi") !== nothing
    extras = get(Pkg.TOML.parsefile(project), "extras", Dict())
    isempty(extras) || Pkg.add(collect(keys(extras)))
end
Pkg.instantiate()
Pkg.precompile()
mv(partial, environment(framework); force = true)
