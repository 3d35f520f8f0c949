# Tells versions without loading anything big: `julia probe.jl PACKAGE...` prints JSON.

@isdefined(isolate) || include("environments.jl")

"""
    version(package)

The version of an installed package, or `nothing`.
"""
function version(package)
    entry = Base.find_package(package)
    entry === nothing && return nothing
    project = joinpath(dirname(dirname(entry)), "Project.toml")
    isfile(project) || return "unknown"
    line = match(r"^version\s*=\s*\"(.*)\""m, read(project, String))
    return line === nothing ? "unknown" : String(line[1])
end

"""
    versions(packages)

Package => version, or `nothing` where it is not installed.
"""
versions(packages) = Dict{String, Any}(package => version(package) for package in packages)

"""
    notes()

What a person should know of this Julia: why it is not a better one.
"""
notes() =
    startswith(Sys.BINDIR, joinpath(CACHE, "debian")) ?
    ["Debian 11's: no other was found, and Julia's site could not be reached. To try again: envs/julia.sh"] : []

if abspath(PROGRAM_FILE) == @__FILE__
    if VERSION < v"1.5"
        println(stderr, "Julia $VERSION is older than 1.5")
        exit(1)
    end
    isolate()
    append!(LOAD_PATH, filter(isdir, environment.(readdir(dirname(@__DIR__)))))
    quoted(version) = version === nothing ? "null" : "\"$version\""
    found = join(("\"$package\": $(quoted(version(package)))" for package in ARGS), ", ")
    println("{\"version\": \"$VERSION\", \"packages\": {$found}, \"notes\": [$(join(repr.(notes()), ", "))]}")
end
