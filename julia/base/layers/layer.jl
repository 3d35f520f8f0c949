# What all layers have in common, and chains of them.

"""
A layer has
- `forward!(layer, x, training)`: its output for the input `x`, valid until the next call. `x` is kept, not copied,
  until `backward!` has been called;
- `backward!(layer, dy)`: the gradient with respect to its last input, given that with respect to its output, which it
  may overwrite. It sets the gradients of its weights;
- `parameters(layer)`: a tuple of `(weights, gradient)`;
- `replica(layer)`: a layer with the same weights (not a copy) and working arrays of its own.
"""
abstract type Layer end

parameters(::Layer) = ()

"""
    forward!(layers::Tuple, x, training)

The output of the last of `layers`, each fed with the output of the one before.
"""
forward!(::Tuple{}, x, training) = x
forward!(layers::Tuple, x, training) = forward!(Base.tail(layers), forward!(first(layers), x, training), training)

"""
    backward!(layers::Tuple, dy)

Set the gradients of all weights of `layers`, from the last to the first.
"""
backward!(::Tuple{}, dy) = dy
backward!(layers::Tuple, dy) = backward!(first(layers), backward!(Base.tail(layers), dy))

parameters(::Tuple{}) = ()
parameters(layers::Tuple) = (parameters(first(layers))..., parameters(Base.tail(layers))...)

replica(layers::Tuple) = map(replica, layers)
