"""The three models and their optimizers as formulas: what every implementation has to compute, in any precision.

The referee's reference is these functions in float64. They share no code with the implementations and use none of
PyTorch's layers, losses or optimizers: all that is taken from it is a convolution, a maximum pool and the gradients.

Weights are a dictionary of tensors under the names of docs/models.md; the sizes of all layers follow from their shapes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor

Weights = dict[str, Tensor]
Layer = Callable[[Tensor], Tensor]


def unchanged(x: Tensor) -> Tensor:
    """No dropout."""
    return x


def dropout(x: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """Inverted dropout: each element is 0 with probability `rate`, else divided by 1 - rate.

    Source: Srivastava et al. 2014, "Dropout", section 10 (the scaling at training time instead of at test time).
    """
    kept = torch.rand(x.shape, generator=generator) >= rate
    return x * kept / (1 - rate)


def dense(weights: Weights, name: str, x: Tensor) -> Tensor:
    """A dense layer: y = x W' + b for x (examples, inputs), W (outputs, inputs), b (outputs)."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def relu(x: Tensor) -> Tensor:
    """max(x, 0), with gradient 0 at 0."""
    return torch.where(x > 0, x, 0)


# CNN


def cnn_logits(weights: Weights, images: Tensor, drop_conv: Layer = unchanged, drop_dense: Layer = unchanged) -> Tensor:
    """The CNN of the 2018 comparison.

    Args:
        images: pixels 0..255, (examples, 3, height, width), red first; height and width are multiples of 4.
        drop_conv, drop_dense: dropout after each maximum pool, and before the last layer.

    Returns:
        Logits (examples, classes).
    """

    def convolution(name: str, x: Tensor) -> Tensor:
        # 3x3, stride 1, one row of zeros around the image: "same" size.
        return F.conv2d(x, weights[f"{name}.weight"], weights[f"{name}.bias"], padding=1)

    x = images.to(weights["conv1.weight"].dtype) / 255
    x = relu(convolution("conv1", x))
    x = relu(convolution("conv2", x))
    x = drop_conv(F.max_pool2d(x, 2))
    x = relu(convolution("conv3", x))
    x = relu(convolution("conv4", x))
    x = drop_conv(F.max_pool2d(x, 2))
    x = x.reshape(len(x), -1)  # channel, row, column
    x = drop_dense(relu(dense(weights, "dense1", x)))
    return dense(weights, "dense2", x)


# ResNet-50


def batch_norm(weights: Weights, name: str, x: Tensor, epsilon: float) -> Tensor:
    """Normalize each channel of x (examples, channels, height, width):

    gamma (x - mean) / sqrt(variance + epsilon) + beta, with the stored mean and variance.

    Source: Ioffe and Szegedy 2015, "Batch Normalization", algorithm 2, step 11.
    """
    gamma, beta, mean, variance = (
        weights[f"{name}.{part}"].reshape(-1, 1, 1) for part in ("weight", "bias", "running_mean", "running_var")
    )
    return gamma * (x - mean) / torch.sqrt(variance + epsilon) + beta


Normalization = Callable[[Weights, str, Tensor, float], Tensor]

# Blocks in each of the four stages.
RESNET50_BLOCKS = (3, 4, 6, 3)


def resnet50_features(
    weights: Weights,
    images: Tensor,
    mean: Iterable[float],
    deviation: Iterable[float],
    epsilon: float,
    normalize: Normalization = batch_norm,
) -> Tensor:
    """ResNet-50 up to its global average pool.

    Version 1.5: where a stage halves the image, the 3x3 convolution has the stride, not the first 1x1.
    Source: He et al. 2015, "Deep Residual Learning", table 1; torchvision.models.resnet50 for version 1.5.

    Args:
        images: pixels 0..255, (examples, 3, height, width), red first.
        mean, deviation: of each colour, for pixels in 0..1.
        epsilon: of the batch normalisations.
        normalize: what is done at each batch normalisation.

    Returns:
        Features (examples, channels).
    """

    def convolution(name: str, x: Tensor, stride: int = 1, padding: int = 0) -> Tensor:
        return F.conv2d(x, weights[f"{name}.weight"], stride=stride, padding=padding)

    def normalized(name: str, x: Tensor) -> Tensor:
        return normalize(weights, name, x, epsilon)

    def block(name: str, x: Tensor, stride: int) -> Tensor:
        y = relu(normalized(f"{name}.bn1", convolution(f"{name}.conv1", x)))
        y = relu(normalized(f"{name}.bn2", convolution(f"{name}.conv2", y, stride, padding=1)))
        y = normalized(f"{name}.bn3", convolution(f"{name}.conv3", y))
        if f"{name}.downsample.0.weight" in weights:
            x = normalized(f"{name}.downsample.1", convolution(f"{name}.downsample.0", x, stride))
        return relu(x + y)

    dtype = weights["conv1.weight"].dtype
    of_colour = torch.tensor([list(mean), list(deviation)], dtype=dtype).reshape(2, 3, 1, 1)
    x = (images.to(dtype) / 255 - of_colour[0]) / of_colour[1]
    x = relu(normalized("bn1", convolution("conv1", x, stride=2, padding=3)))
    x = F.max_pool2d(x, 3, stride=2, padding=1)
    for stage, blocks in enumerate(RESNET50_BLOCKS, start=1):
        for number in range(blocks):
            x = block(f"layer{stage}.{number}", x, stride=2 if stage > 1 and number == 0 else 1)
    return x.mean(dim=(2, 3))


# GRU


def gru_logits(weights: Weights, words: Tensor) -> Tensor:
    """Embedding, one GRU layer from a state of zeros over all words, and a dense layer on its last state.

    The cell is cuDNN's: the reset gate acts after the matrix product, so there are two biases.
    Source: Cho et al. 2014 for the gates; NVIDIA cuDNN, "cudnnRNNMode_t", CUDNN_GRU for the variant:

        r = sigmoid(Wr x + br + Ur h + cr)
        z = sigmoid(Wz x + bz + Uz h + cz)
        n = tanh(Wn x + bn + r (Un h + cn))
        h <- (1 - z) n + z h

    Args:
        words: ids (examples, words); 0, the padding, is a word like others.

    Returns:
        Logits (examples, classes).
    """
    from_input = weights["embedding.weight"][words] @ weights["gru.weight_ih_l0"].T + weights["gru.bias_ih_l0"]
    units = weights["gru.weight_hh_l0"].shape[1]
    state = torch.zeros(len(words), units, dtype=from_input.dtype)
    for inputs in from_input.unbind(dim=1):
        from_state = state @ weights["gru.weight_hh_l0"].T + weights["gru.bias_hh_l0"]
        reset = torch.sigmoid(inputs[:, :units] + from_state[:, :units])
        update = torch.sigmoid(inputs[:, units : 2 * units] + from_state[:, units : 2 * units])
        new = torch.tanh(inputs[:, 2 * units :] + reset * from_state[:, 2 * units :])
        state = (1 - update) * new + update * state
    return dense(weights, "dense", state)


# Loss


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean over the examples of -log softmax(logits)[label], in nats.

    The largest logit is subtracted first, so that no exponential overflows.
    """
    shifted = logits - logits.max(dim=1, keepdim=True).values
    log_probabilities = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    return -log_probabilities[torch.arange(len(labels)), labels].mean()


# Optimizers


@dataclass
class Momentum:
    """v <- m v + g; w <- w - lr v, with v = 0 at first.

    Source: Sutskever et al. 2013, "On the importance of initialization and momentum", equations 1 and 2. There the
    learning rate stands within v and here outside, as in PyTorch: the same while it is constant.
    """

    learning_rate: float
    momentum: float
    velocity: Weights = field(default_factory=dict)

    def step(self, weights: Weights, gradients: Weights) -> Weights:
        """The weights after one step."""
        for name, gradient in gradients.items():
            self.velocity[name] = self.momentum * self.velocity.get(name, torch.zeros_like(gradient)) + gradient
        return {name: weight - self.learning_rate * self.velocity[name] for name, weight in weights.items()}


@dataclass
class Adam:
    """Adam in one of the two forms that are in use.

    m <- b1 m + (1 - b1) g; v <- b2 v + (1 - b2) g^2, both 0 at first, and in step t:

        bias-corrected: w <- w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
        epsilon hat:    w <- w - lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + epsilon)

    PyTorch and optax use the first, TensorFlow, Keras, MXNet, Chainer and CNTK the second.
    Source: Kingma and Ba 2015, "Adam": algorithm 1, and the last paragraph of section 2.
    """

    learning_rate: float
    beta1: float
    beta2: float
    epsilon: float
    epsilon_hat: bool
    steps: int = 0
    first_moment: Weights = field(default_factory=dict)
    second_moment: Weights = field(default_factory=dict)

    def step(self, weights: Weights, gradients: Weights, squares: Weights | None = None) -> Weights:
        """The weights after one step; `squares` take the place of the squared gradients of the weights they name."""
        self.steps += 1
        correction1 = 1 - self.beta1**self.steps
        correction2 = 1 - self.beta2**self.steps
        updated = {}
        for name, gradient in gradients.items():
            zero = torch.zeros_like(gradient)
            m = self.beta1 * self.first_moment.get(name, zero) + (1 - self.beta1) * gradient
            square = (squares or {}).get(name, gradient**2)
            v = self.beta2 * self.second_moment.get(name, zero) + (1 - self.beta2) * square
            self.first_moment[name], self.second_moment[name] = m, v
            if self.epsilon_hat:
                change = correction2**0.5 / correction1 * m / (v.sqrt() + self.epsilon)
            else:
                change = (m / correction1) / ((v / correction2).sqrt() + self.epsilon)
            updated[name] = weights[name] - self.learning_rate * change
        return updated


def train(
    logits: Callable[[Weights, Tensor], Tensor],
    weights: Weights,
    optimizer: Momentum | Adam,
    batches: Iterable[tuple[Tensor, Tensor]],
) -> tuple[list[float], Weights]:
    """Make one optimizer step for each batch.

    Args:
        logits: a model.
        batches: inputs and labels of each step.

    Returns:
        The loss of each batch before its step, and the weights after the last.
    """
    losses = []
    for inputs, labels in batches:
        leaves = {name: weight.detach().requires_grad_() for name, weight in weights.items()}
        loss = cross_entropy(logits(leaves, inputs), labels)
        gradients = torch.autograd.grad(loss, list(leaves.values()))
        with torch.no_grad():
            weights = optimizer.step(weights, dict(zip(leaves, gradients, strict=True)))
        losses.append(loss.item())
    return losses, weights


def train_repeats_apart(
    weights: Weights, optimizer: Adam, batches: Iterable[tuple[Tensor, Tensor]]
) -> tuple[list[float], Weights]:
    """As `train` with the GRU's logits, but with the mistake of an optimizer that leaves sparse gradients as they are.

    A word that occurs again in a batch has a gradient for each of its places. Adam squares their sum; here it is given
    the sum of their squares. So does Keras 3 on TensorFlow, which squares the values of a `tf.IndexedSlices` before the
    repeated indices are added up.
    """
    embedding = "embedding.weight"
    losses = []
    for words, labels in batches:
        places = torch.arange(words.numel()).reshape(words.shape)
        rows = words.flatten()
        leaves = {name: weight.detach().requires_grad_() for name, weight in weights.items()}
        leaves[embedding] = weights[embedding].detach()[rows].requires_grad_()
        loss = cross_entropy(gru_logits(leaves, places), labels)
        gradients = dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values())), strict=True))
        with torch.no_grad():
            zero = torch.zeros_like(weights[embedding])
            squares = {embedding: zero.index_add(0, rows, gradients[embedding] ** 2)}
            gradients[embedding] = zero.index_add(0, rows, gradients[embedding])
            weights = optimizer.step(weights, gradients, squares)
        losses.append(loss.item())
    return losses, weights
