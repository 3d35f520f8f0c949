# Exponential functions without branches, so that a loop over them becomes vector instructions.

"""
    exponential(x)

e^x. For `Float32` x = k log 2 + r with a whole k and a small r, and a polynomial for e^r; k goes into the exponent's
bits. The relative error is below 2e-7; beyond -87..88 the value there is taken. The coefficients are those of Cephes'
`expf` (S. L. Moshier, 1992).
"""
exponential(x) = exp(x)

@inline function exponential(x::Float32)
    x = ifelse(x < -87f0, -87f0, ifelse(x > 88f0, 88f0, x))
    # Adding 1.5 * 2^23 rounds to a whole number and leaves it in the lowest bits.
    shifted = muladd(x, 1.442695f0, 1.2582912f7)
    k = shifted - 1.2582912f7
    r = muladd(k, -0.693359375f0, x)
    r = muladd(k, 2.12194440f-4, r)
    polynomial = muladd(1.9875691500f-4, r, 1.3981999507f-3)
    polynomial = muladd(polynomial, r, 8.3334519073f-3)
    polynomial = muladd(polynomial, r, 4.1665795894f-2)
    polynomial = muladd(polynomial, r, 1.6666665459f-1)
    polynomial = muladd(polynomial, r, 5.0000001201f-1)
    polynomial = muladd(polynomial, r * r, r + 1)
    return reinterpret(Float32, reinterpret(Int32, polynomial) + reinterpret(Int32, shifted) << 23)
end

"""
    sigmoid(x)

1 / (1 + e^-x).
"""
@inline sigmoid(x) = 1 / (1 + exponential(-x))

"""
    hyperbolic_tangent(x)

tanh(x) = 2 sigmoid(2x) - 1.
"""
@inline hyperbolic_tangent(x) = 2 * sigmoid(2x) - 1
