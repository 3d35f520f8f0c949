"""GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam.

Chosen on a CPU: XLA (jit_compile) for the training step, which takes 1.2 times as much CPU time without; none for
prediction, which takes 1.3 times as much with it. On a GPU: cuDNN's GRU, which XLA cannot compile (not measured).
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace

import tensorflow as tf
from framework import UNTUNED

Weights = dict[str, tf.Tensor]


# --- model ---
class GRU(tf.Module):
    train_step: Callable[..., tf.Tensor]
    predict_step: Callable[..., tf.Tensor]

    def __init__(self, job: SimpleNamespace, weights: Weights) -> None:
        super().__init__()
        self.job = job
        self.embedding = tf.Variable(weights["embedding.weight"])
        self.input_kernel = tf.Variable(tf.transpose(weights["gru.weight_ih_l0"]))  # (inputs; reset, update, new)
        self.input_bias = tf.Variable(weights["gru.bias_ih_l0"])
        self.state_kernel = tf.Variable(tf.transpose(weights["gru.weight_hh_l0"]))  # (state; reset, update, new)
        self.state_bias = tf.Variable(weights["gru.bias_hh_l0"])
        self.dense_kernel = tf.Variable(tf.transpose(weights["dense.weight"]))
        self.dense_bias = tf.Variable(weights["dense.bias"])

    def __call__(self, words: tf.Tensor, training: bool) -> tf.Tensor:
        x = tf.gather(self.embedding, tf.transpose(words))  # (150 words, batch, 125): time first
        last = self.cudnn_gru(x, training) if self.job.device == "cuda" else self.gru(x)
        return last @ self.dense_kernel + self.dense_bias

    def gru(self, x: tf.Tensor) -> tf.Tensor:
        from_words = x @ self.input_kernel + self.input_bias  # of all words at once
        return tf.foldl(self.cell, from_words, tf.zeros((tf.shape(x)[1], 100)))

    def cell(self, state: tf.Tensor, from_word: tf.Tensor) -> tf.Tensor:
        from_state = state @ self.state_kernel + self.state_bias
        word_reset, word_update, word_new = tf.split(from_word, 3, axis=1)
        state_reset, state_update, state_new = tf.split(from_state, 3, axis=1)
        reset = tf.sigmoid(word_reset + state_reset)
        update = tf.sigmoid(word_update + state_update)
        new = tf.tanh(word_new + reset * state_new)
        return (1 - update) * new + update * state

    def cudnn_gru(self, x: tf.Tensor, training: bool) -> tf.Tensor:
        kernels = [tf.reshape(tf.transpose(kernel), (-1,)) for kernel in (self.input_kernel, self.state_kernel)]
        _, last, *_ = tf.raw_ops.CudnnRNN(
            input=x,
            input_h=tf.zeros((1, tf.shape(x)[1], 100)),
            input_c=0.0,  # of an LSTM
            params=tf.concat([*kernels, self.input_bias, self.state_bias], axis=0),
            rnn_mode="gru",
            is_training=training,
        )
        return last[0]


# --- build ---
def build(job: SimpleNamespace, weights: Weights) -> GRU:
    model = GRU(job, weights)
    optimizer = Adam(model.trainable_variables, job.learning_rate, job.beta1, job.beta2, job.epsilon)
    model.train_step = tf.function(
        partial(train_step, model, optimizer), jit_compile=job.compile or job.device == "cpu"
    )
    model.predict_step = tf.function(partial(model, training=False), jit_compile=job.compile)
    return model


# --- training ---
class Adam(tf.Module):
    """With epsilon hat: the form of Adam in the last paragraph of section 2 of Kingma and Ba, 2015."""

    def __init__(
        self, weights: Sequence[tf.Variable], learning_rate: float, beta1: float, beta2: float, epsilon: float
    ) -> None:
        super().__init__()
        self.weights = weights
        self.learning_rate = learning_rate
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.steps = tf.Variable(0.0)
        self.first_moments = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
        self.second_moments = [tf.Variable(tf.zeros_like(weight)) for weight in weights]

    def apply(self, gradients: Sequence[tf.Tensor]) -> None:
        t = self.steps.assign_add(1)
        rate = self.learning_rate * tf.sqrt(1 - self.beta2**t) / (1 - self.beta1**t)
        for weight, m, v, gradient in zip(
            self.weights, self.first_moments, self.second_moments, gradients, strict=True
        ):
            g = tf.convert_to_tensor(gradient)  # the embedding's comes as slices, one for each word read: sums them
            m.assign(self.beta1 * m + (1 - self.beta1) * g)
            v.assign(self.beta2 * v + (1 - self.beta2) * g**2)
            weight.assign_sub(rate * m / (tf.sqrt(v) + self.epsilon))


def train_step(model: GRU, optimizer: Adam, words: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        logits = model(words, training=True)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    optimizer.apply(tape.gradient(loss, model.trainable_variables))
    return loss


def train(model: GRU, inputs: tf.Tensor, labels: tf.Tensor, batches: tf.Tensor) -> tf.Tensor:
    data = tf.data.Dataset.from_tensor_slices(batches)
    data = data.map(lambda batch: (tf.gather(inputs, batch), tf.gather(labels, batch)))
    data = data.prefetch(1).with_options(UNTUNED)
    return tf.stack([model.train_step(words, targets) for words, targets in data])


# --- prediction ---
def predict(model: GRU, inputs: tf.Tensor) -> tf.Tensor:
    data = tf.data.Dataset.from_tensor_slices(inputs).batch(model.job.batch_size).prefetch(1).with_options(UNTUNED)
    return tf.concat([model.predict_step(words) for words in data], axis=0)
