# Arrays that are kept from step to step, and products of parts of them.

"""
    reuse(array, size...)

`array` if it has this size, else a new one: a layer allocates only when its input's size changes.
"""
reuse(array::Array{T, N}, size::Vararg{Int, N}) where {T, N} =
    Base.size(array) == size ? array : Array{T, N}(undef, size)

"""
    at_least(buffer, length)

`buffer` if it is long enough, else a new one.
"""
at_least(buffer::Vector{T}, length) where {T} = Base.length(buffer) >= length ? buffer : Vector{T}(undef, length)

"""
    multiply!(c, a, b; add = false, ta = 'N', tb = 'N')

`c = a * b`, or `c += a * b` if `add`. With `ta = 'T'` the transpose of `a` is taken, with `tb = 'T'` that of `b`.
"""
function multiply!(c::AbstractVecOrMat{T}, a, b; add = false, ta = 'N', tb = 'N') where {T}
    BLAS.gemm!(ta, tb, one(T), a, b, T(add), c)
end
