"""
A small library of neural-network layers in plain Julia and BLAS.

A layer holds its weights, their gradients and what it needs from one pass to the next, in arrays that are reused.
Images are `(width, height, images, channels)`: each channel of a group of images is one column, so a convolution is a
product of matrices. Vectors are columns: `(features, examples)`.

A layer works on one thread. A batch is shared out over *replicas* of a model, one for each thread, that have the
weights in common; see [`each_share`](@ref). BLAS itself is kept to one thread.
"""
module Layers

using LinearAlgebra: BLAS
using Random: MersenneTwister, rand!

export Layer, forward!, backward!, parameters, replica
export Pixels, Convolution, MaxPool, Flatten, Dense, Dropout, Embedding, GRULayer
export max_pool!, global_mean!
export cross_entropy!
export SGD, Adam, update!, gather_parameters
export each_share, shares

include("arrays.jl")
include("threads.jl")
include("layer.jl")
include("pixels.jl")
include("convolution.jl")
include("pooling.jl")
include("dense.jl")
include("dropout.jl")
include("embedding.jl")
include("elementwise.jl")
include("gru.jl")
include("loss.jl")
include("optimizers.jl")

end
