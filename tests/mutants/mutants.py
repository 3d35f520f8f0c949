"""The mistakes that the referee is tried with: a place in python/pytorch/MODEL.py, and what stands there instead.

CAUGHT must be caught. UNSEEN are beyond what the referee sees, or compute the same; docs/referee.md says why.
"""

from tests.mutants.bench import Mutant

CONV2_AND_POOL = "x = F.relu(self.conv2(x))\n        x = F.max_pool2d(x, 2)"
CONV4_AND_POOL = "x = F.relu(self.conv4(x))\n        x = F.max_pool2d(x, 2)"
CNN_LOSS = "F.cross_entropy(model(images), targets)"
SGD = "momentum=job.momentum, fused=True"

GRU_LAYER = "_, last = self.gru(x)"
GRU_LOSS = "F.cross_entropy(model(words), targets)"
ADAM = "betas, job.epsilon, fused=True"

AUTOCAST_IN_TRAINING = "model.optimizer.zero_grad()\n        with torch.autocast(device, torch.bfloat16, enabled=bf16)"

# The GRU of Cho et al. 2014 (Keras with reset_after=False): the reset gate acts on the state before the matrix product.
RESET_BEFORE_PRODUCT = """\
w, u, b, c = self.gru.all_weights[0]
        state = x.new_zeros(x.shape[1], 100)
        for inputs in F.linear(x, w, b):
            gates = torch.sigmoid(inputs[:, :200] + F.linear(state, u[:200], c[:200]))
            new = torch.tanh(inputs[:, 200:] + F.linear(gates[:, :100] * state, u[200:], c[200:]))
            state = (1 - gates[:, 100:]) * new + gates[:, 100:] * state
        last = state[None]"""

STATE_KEPT = """\
first = self.state if getattr(self, "state", x[0, :, :0]).shape == (1, x.shape[1], 100) else None
        _, last = self.gru(x, None if first is None else first.clone())
        self.state = last.detach()"""

# What Keras 3 does on TensorFlow: the gradients of a word's occurrences are squared one by one, not their sum.
SQUARES_OF_OCCURRENCES = """\
loss.backward()
        rows = model.embedding.weight.grad
        counts = torch.bincount(words.flatten(), minlength=30_000).clamp_min(1)
        rows /= counts.sqrt()[:, None]"""

# Version 1: the first 1x1 convolution of a block has the stride.
STRIDE_IN_FIRST = """\
self.conv1 = nn.Conv2d(inputs, width, kernel_size=1, stride=stride, bias=False)
        self.bn1 = nn.BatchNorm2d(width, epsilon)
        self.conv2 = nn.Conv2d(width, width, kernel_size=3, padding=1, bias=False)"""
STRIDE_IN_SECOND = """\
self.conv1 = nn.Conv2d(inputs, width, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width, epsilon)
        self.conv2 = nn.Conv2d(width, width, kernel_size=3, stride=stride, padding=1, bias=False)"""
FIRST_POOL = "F.max_pool2d(x, kernel_size=3, stride=2, padding=1)"

CAUGHT = [
    # cnn: the inputs
    Mutant("cnn", "unscaled pixels", "images / 255", "images.float()"),
    Mutant("cnn", "pixels divided by 256", "images / 255", "images / 256"),
    Mutant("cnn", "pixels scaled to -1..1", "images / 255", "images / 127.5 - 1"),
    Mutant("cnn", "channel order BGR", "images / 255", "images.flip(1) / 255"),
    Mutant("cnn", "rows and columns swapped", "images / 255", "images.transpose(2, 3) / 255"),
    # cnn: the layers
    Mutant("cnn", "missing bias of a convolution", "self.conv3(x)", "F.conv2d(x, self.conv3.weight, padding=1)"),
    Mutant("cnn", "missing bias of a dense layer", "self.dense2(x)", "F.linear(x, self.dense2.weight)"),
    Mutant("cnn", "ReLU missing", "F.relu(self.conv4(x))", "self.conv4(x)"),
    Mutant("cnn", "GELU instead of ReLU", "F.relu(self.dense1(x))", "F.gelu(self.dense1(x))"),
    Mutant("cnn", "average instead of max pool", CONV4_AND_POOL, CONV4_AND_POOL.replace("max", "avg")),
    Mutant("cnn", "pool with stride 1 and cropped", CONV4_AND_POOL, CONV4_AND_POOL.replace("2)", "2, 1)[..., :8, :8]")),
    Mutant("cnn", "mirrored padding", "50, 50, kernel_size=3", '50, 50, padding_mode="reflect", kernel_size=3'),
    Mutant(
        "cnn",
        "kernel flipped",
        "self.conv2(x)",
        "F.conv2d(x, self.conv2.weight.flip(2, 3), self.conv2.bias, padding=1)",
    ),
    Mutant("cnn", "flattened with channels last", "x.flatten(", "x.permute(0, 2, 3, 1).flatten("),
    Mutant("cnn", "softmax before the loss", "return self.dense2(x)", "return self.dense2(x).softmax(dim=1)"),
    Mutant("cnn", "dropout left on at prediction", "model.eval()", "model.train()"),
    Mutant("cnn", "dropout left out of training", "model.train()", "model.eval()"),
    Mutant("cnn", "dropout's rate taken for the share to keep", "job.dropout_dense", "1 - job.dropout_dense"),
    Mutant("cnn", "dropout's rate .95", "job.dropout_conv", "job.dropout_conv and 0.95"),
    # cnn: training
    Mutant(
        "cnn", "loss summed instead of averaged", CNN_LOSS, CNN_LOSS.replace("targets)", 'targets, reduction="sum")')
    ),
    Mutant("cnn", "labels smoothed", CNN_LOSS, CNN_LOSS.replace("targets)", "targets, label_smoothing=0.1)")),
    Mutant("cnn", "labels shifted", CNN_LOSS, CNN_LOSS.replace("targets)", "(targets + 1) % 10)")),
    Mutant("cnn", "batches in another order", "sampler=batches,", "sampler=batches.flip(0),"),
    Mutant("cnn", "the same batch in every step", "sampler=batches,", "sampler=batches[:1].expand_as(batches),"),
    Mutant("cnn", "momentum with dampening", SGD, f"dampening=0.9, {SGD}"),
    Mutant("cnn", "Nesterov momentum", SGD, f"nesterov=True, {SGD}"),
    Mutant("cnn", "no momentum", SGD, "fused=True"),
    Mutant("cnn", "learning rate 1% off", "lr=job.learning_rate", "lr=1.01 * job.learning_rate"),
    Mutant("cnn", "gradients added up over steps", "model.optimizer.zero_grad()", "pass"),
    Mutant("cnn", "biases not trained", "SGD(model.parameters()", "SGD([p for p in model.parameters() if p.ndim > 1]"),
    Mutant(
        "cnn",
        "trained in bf16 where float32 is asked for",
        AUTOCAST_IN_TRAINING,
        AUTOCAST_IN_TRAINING.replace("=bf16", "=True"),
    ),
    # gru: the inputs
    Mutant(
        "gru", "wrong padding side", "words.T", "torch.stack([row.roll(-int((row == 0).sum())) for row in words]).T"
    ),
    Mutant("gru", "embedding row off by one", "words.T", "(words.T + 1) % 30_000"),
    Mutant("gru", "words read backwards", "words.T", "words.T.flip(0)"),
    Mutant("gru", "last word dropped", "words.T", "words.T[:-1]"),
    Mutant("gru", "vocabulary cut to 20,000", "words.T", "torch.where(words.T < 20_000, words.T, 2)"),
    Mutant("gru", "padding skipped", GRU_LAYER, "_, last = self.gru(x * (words.T != 0)[..., None])"),
    # gru: the layers
    Mutant("gru", "reset gate before the product", GRU_LAYER, RESET_BEFORE_PRODUCT),
    Mutant("gru", "hidden state not reset", GRU_LAYER, STATE_KEPT),
    Mutant("gru", "mean over time instead of the last output", GRU_LAYER, "last = self.gru(x)[0].mean(dim=0)[None]"),
    Mutant("gru", "missing bias of the dense layer", "self.dense(last[0])", "F.linear(last[0], self.dense.weight)"),
    Mutant("gru", "missing recurrent bias", "(weights)", '(weights | {"gru.bias_hh_l0": torch.zeros(300)})'),
    Mutant(
        "gru",
        "update gate in place of the reset gate",
        "(weights)",
        '({name: torch.cat([w[100:200], w[:100], w[200:]]) if "_l0" in name else w for name, w in weights.items()})',
    ),
    Mutant("gru", "padding's embedding is 0", "_, last", "x = x * (words.T > 0)[..., None]\n        _, last"),
    # gru: training
    Mutant("gru", "Adam eps 1e-7", "job.epsilon", "1e-7"),
    Mutant("gru", "Adam beta2 0.99", "job.beta2", "0.99"),
    Mutant("gru", "Adam with AMSGrad and weight decay", ADAM, "betas, job.epsilon, 1e-4, True"),
    Mutant(
        "gru",
        "AdamW with a weight decay of 0.1",
        "torch.optim.Adam(model.parameters(), job.learning_rate, betas, job.epsilon",
        "torch.optim.AdamW(model.parameters(), job.learning_rate, betas, job.epsilon, 0.1",
    ),
    Mutant(
        "gru",
        "SGD instead of Adam",
        "torch.optim.Adam(model.parameters(), job.learning_rate, betas, job.epsilon",
        "torch.optim.SGD(model.parameters(), job.learning_rate",
    ),
    Mutant("gru", "padding's embedding not trained", "125)\n        self.gru", "125, padding_idx=0)\n        self.gru"),
    Mutant(
        "gru",
        "gradient through the last 75 words only",
        GRU_LAYER,
        "_, last = self.gru(torch.cat([x[:75].detach(), x[75:]]))",
    ),
    Mutant(
        "gru",
        "gradients clipped",
        "loss.backward()",
        "loss.backward()\n        nn.utils.clip_grad_norm_(model.parameters(), 0.01)",
    ),
    Mutant("gru", "squares of a word's occurrences", "loss.backward()", SQUARES_OF_OCCURRENCES),
    Mutant("gru", "labels exchanged", GRU_LOSS, GRU_LOSS.replace("targets", "1 - targets")),
    Mutant(
        "gru",
        "optimizer made anew in each call of train",
        "    model.train()\n",
        "    model.train()\n    model.optimizer.state.clear()\n",
    ),
    # resnet50
    Mutant("resnet50", "stride in the wrong convolution", STRIDE_IN_SECOND, STRIDE_IN_FIRST),
    Mutant("resnet50", "batch-norm eps 1e-3", "job.batch_norm_epsilon", "1e-3"),
    Mutant("resnet50", "batch norm of the batch itself", "model.eval()", "model.train()"),
    Mutant("resnet50", "unscaled pixels", "images / 255", "images.float()"),
    Mutant("resnet50", "channel order BGR", "images / 255", "images.flip(1) / 255"),
    Mutant("resnet50", "pixels not normalised", "(images / 255 - self.mean) / self.deviation", "images / 255"),
    Mutant(
        "resnet50", "pixels normalised to -1..1", "(images / 255 - self.mean) / self.deviation", "images / 127.5 - 1"
    ),
    Mutant(
        "resnet50",
        "first pool padded on one side",
        FIRST_POOL,
        "F.max_pool2d(F.pad(x, (0, 1, 0, 1)), kernel_size=3, stride=2)",
    ),
    Mutant("resnet50", "average in the first pool", FIRST_POOL, FIRST_POOL.replace("max", "avg")),
    Mutant("resnet50", "no ReLU after the sum", "F.relu(y + self.downsample(x))", "y + self.downsample(x)"),
    Mutant("resnet50", "ReLU before the sum", "F.relu(y + self.downsample(x))", "F.relu(y) + self.downsample(x)"),
    Mutant("resnet50", "one block left out", "x = self.layer3(x)", "x = self.layer3[:-1](x)"),
    Mutant("resnet50", "maximum instead of the global average", "x.mean(dim=(2, 3))", "x.amax(dim=(2, 3))"),
    Mutant("resnet50", "bf16 where float32 is asked for", "enabled=bf16", "enabled=True"),
]

UNSEEN = [
    # computes the same
    Mutant("cnn", "examples of a batch in another order", "sampler=batches,", "sampler=batches.flip(1),"),
    # too small for float32
    Mutant("cnn", "weight decay 1e-6", SGD, f"weight_decay=1e-6, {SGD}"),
    Mutant("resnet50", "batch-norm eps 1.001e-5", "job.batch_norm_epsilon", "1.001e-5"),
    # dropout is random: the referee sees that there is some, not of what kind
    Mutant("cnn", "dropout rate .3 instead of .25", "job.dropout_conv", "1.2 * job.dropout_conv"),
    Mutant("cnn", "one dropout left out", "x = self.dropout_dense(x)", "x = x.clone()"),
    Mutant(
        "cnn",
        "dropout not scaled by 1 / (1 - rate)",
        "x = self.dropout_dense(x)",
        "x = self.dropout_dense(x) * (1 - self.dropout_dense.p) ** self.training",
    ),
]
