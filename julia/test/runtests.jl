# Julia's own tests: `julia julia/test/runtests.jl`.
append!(empty!(LOAD_PATH), [dirname(@__DIR__), "@stdlib"])

using Random
using Rosetta
using Test

include("../base/layers/Layers.jl")
using .Layers

@testset "Rosetta" begin
    include("json.jl")
    include("harness.jl")
    include("layers.jl")
    include("optimizers.jl")
end
