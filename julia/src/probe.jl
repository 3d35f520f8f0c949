# Tells versions without loading anything big: `julia probe.jl PACKAGE...` prints JSON.

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

if abspath(PROGRAM_FILE) == @__FILE__
    if VERSION < v"1.5"
        println(stderr, "Julia $VERSION is older than 1.5")
        exit(1)
    end
    quoted(version) = version === nothing ? "null" : "\"$version\""
    found = join(("\"$package\": $(quoted(version(package)))" for package in ARGS), ", ")
    println("{\"version\": \"$VERSION\", \"packages\": {$found}}")
end
