# ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

# --- model ---
bottleneck <- nn_module(
  "bottleneck",
  initialize = function(inputs, width, stride, epsilon) {
    outputs <- 4 * width
    self$conv1 <- nn_conv2d(inputs, width, kernel_size = 1, bias = FALSE)
    self$bn1 <- nn_batch_norm2d(width, epsilon)
    self$conv2 <- nn_conv2d(width, width, kernel_size = 3, stride = stride, padding = 1, bias = FALSE)
    self$bn2 <- nn_batch_norm2d(width, epsilon)
    self$conv3 <- nn_conv2d(width, outputs, kernel_size = 1, bias = FALSE)
    self$bn3 <- nn_batch_norm2d(outputs, epsilon)
    self$downsample <- if (stride != 1 || inputs != outputs) {
      nn_sequential(
        nn_conv2d(inputs, outputs, kernel_size = 1, stride = stride, bias = FALSE),
        nn_batch_norm2d(outputs, epsilon)
      )
    } else {
      nn_identity()
    }
  },
  forward = function(x) {
    y <- x |>
      self$conv1() |>
      self$bn1() |>
      nnf_relu() |>
      self$conv2() |>
      self$bn2() |>
      nnf_relu() |>
      self$conv3() |>
      self$bn3()
    nnf_relu(y + self$downsample(x))
  }
)

resnet50 <- nn_module(
  "resnet50",
  initialize = function(job) {
    epsilon <- job$batch_norm_epsilon
    self$mean <- nn_buffer(torch_tensor(job$mean)$reshape(c(3, 1, 1)), persistent = FALSE)
    self$deviation <- nn_buffer(torch_tensor(job$deviation)$reshape(c(3, 1, 1)), persistent = FALSE)
    self$conv1 <- nn_conv2d(3, 64, kernel_size = 7, stride = 2, padding = 3, bias = FALSE)
    self$bn1 <- nn_batch_norm2d(64, epsilon)
    self$layer1 <- stage(blocks = 3, inputs = 64, width = 64, stride = 1, epsilon = epsilon)
    self$layer2 <- stage(blocks = 4, inputs = 256, width = 128, stride = 2, epsilon = epsilon)
    self$layer3 <- stage(blocks = 6, inputs = 512, width = 256, stride = 2, epsilon = epsilon)
    self$layer4 <- stage(blocks = 3, inputs = 1024, width = 512, stride = 2, epsilon = epsilon)
  },
  forward = function(images) {
    ((images / 255 - self$mean) / self$deviation) |>
      self$conv1() |>
      self$bn1() |>
      nnf_relu() |>
      nnf_max_pool2d(kernel_size = 3, stride = 2, padding = 1) |>
      self$layer1() |>
      self$layer2() |>
      self$layer3() |>
      self$layer4() |>
      torch_mean(dim = c(3, 4))
  }
)

stage <- function(blocks, inputs, width, stride, epsilon) {
  first <- bottleneck(inputs, width, stride, epsilon)
  others <- lapply(seq_len(blocks - 1), function(block) bottleneck(4 * width, width, 1, epsilon))
  do.call(nn_sequential, c(list(first), others))
}

# --- build ---
build <- function(job, weights) {
  network <- resnet50(job)
  state <- network$state_dict() # holds counts of batches, too, which play no part in prediction
  state[names(weights)] <- weights
  network$load_state_dict(state)
  network$to(device = job$device)
  list(network = network, job = job)
}

# --- prediction ---
predict <- function(model, inputs) {
  model$network$eval()
  with_no_grad({
    features <- lapply(torch_split(inputs, model$job$batch_size), function(images) {
      model$network(images$to(device = model$job$device))
    })
    torch_cat(features)
  })
}
