# Julia's own tests: `julia julia/test/runtests.jl`.
append!(empty!(LOAD_PATH), ["@stdlib"])

using Random
using Test

include("../src/Rosetta.jl")
include("../base/layers/Layers.jl")
using .Layers

@testset "Rosetta" begin
    include("sources.jl")
    include("json.jl")
    include("harness.jl")
    include("layers.jl")
    include("optimizers.jl")
end
