# Where packages are found: a framework that needs some has an environment of its own, which envs/julia.sh makes.

const CACHE = joinpath(dirname(dirname(@__DIR__)), "envs", ".cache", "julia")

"""
    isolate()

Read nothing of the user's environments, and write nothing outside of this project's folder.
"""
function isolate()
    append!(empty!(LOAD_PATH), ["@stdlib"])
    pushfirst!(DEPOT_PATH, joinpath(CACHE, "depot"))  # compiled packages are written to the first
end

"""
    environment(framework)

The folder of a framework's environment; it is there if the framework's packages were installed.
"""
environment(framework) = joinpath(CACHE, "environments", framework)
