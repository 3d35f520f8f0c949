# Loss.

"""
    cross_entropy!(gradient, logits, labels, examples)

The sum over the columns of `logits` of -log softmax(logits)[label], in nats, divided by the number of `examples` of the
whole batch; likewise its `gradient` with respect to `logits`. Labels count from 0.
"""
function cross_entropy!(gradient, logits, labels, examples)
    total = zero(eltype(logits))
    @inbounds for (column, label) in enumerate(labels)
        highest = maximum(view(logits, :, column))
        sum_of_exponentials = zero(eltype(logits))
        for row in axes(logits, 1)
            gradient[row, column] = exp(logits[row, column] - highest)
            sum_of_exponentials += gradient[row, column]
        end
        total += log(sum_of_exponentials) + highest - logits[label + 1, column]
        for row in axes(logits, 1)
            gradient[row, column] /= sum_of_exponentials * examples
        end
        gradient[label + 1, column] -= 1 / oftype(total, examples)
    end
    return total / examples
end
