# Judges what an implementation gave: an answer of the wrong shape or with a number that is none is refused.
# Outputs are a column for each example: `(outputs, examples)`.

"""
    require_losses(losses, steps)

Refuse losses that are not one finite number for each step.
"""
function require_losses(losses, steps)
    if size(losses) != (steps,)
        error("train gave losses of shape $(size(losses)); $steps batches make shape ($steps,).")
    end
    step = findfirst(!isfinite, losses)
    step === nothing || error("train gave $(losses[step]) as the loss of step $step of $steps.")
    return nothing
end

"""
    require_outputs(outputs, examples)

Refuse outputs that are not a column of finite numbers for each example.
"""
function require_outputs(outputs, examples)
    if ndims(outputs) != 2 || size(outputs, 2) != examples
        error("predict gave outputs of shape $(size(outputs)); $examples inputs make $examples columns.")
    end
    place = findfirst(!isfinite, outputs)
    place === nothing || error("predict gave a number that is not finite for input $(place[2]) of $examples.")
    return nothing
end

"""
    accuracy(logits, labels)

Share of examples whose largest logit is the label's.
"""
function accuracy(logits, labels)
    correct = count(argmax(column) == label + 1 for (column, label) in zip(eachcol(logits), labels))
    return correct / length(labels)
end

"""
    digest(features)

Mean and population standard deviation over all features of all examples, and the mean of each example's.
"""
function digest(features)
    mean = sum(Float64, features) / length(features)
    variance = sum(feature -> abs2(Float64(feature) - mean), features) / length(features)
    means = [sum(Float64, example) / length(example) for example in eachcol(features)]
    return Dict("mean" => mean, "deviation" => sqrt(variance), "means" => means)
end
