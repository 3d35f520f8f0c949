# CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

# --- model ---
cnn <- nn_module(
  "cnn",
  initialize = function(job) {
    self$conv1 <- nn_conv2d(3, 50, kernel_size = 3, padding = 1)
    self$conv2 <- nn_conv2d(50, 50, kernel_size = 3, padding = 1)
    self$conv3 <- nn_conv2d(50, 100, kernel_size = 3, padding = 1)
    self$conv4 <- nn_conv2d(100, 100, kernel_size = 3, padding = 1)
    self$dense1 <- nn_linear(100 * 8 * 8, 512)
    self$dense2 <- nn_linear(512, 10)
    self$dropout_conv <- nn_dropout(job$dropout_conv)
    self$dropout_dense <- nn_dropout(job$dropout_dense)
  },
  forward = function(images) {
    (images / 255) |>
      self$conv1() |>
      nnf_relu() |>
      self$conv2() |>
      nnf_relu() |>
      nnf_max_pool2d(2) |>
      self$dropout_conv() |>
      self$conv3() |>
      nnf_relu() |>
      self$conv4() |>
      nnf_relu() |>
      nnf_max_pool2d(2) |>
      self$dropout_conv() |>
      torch_flatten(start_dim = 2) |>
      self$dense1() |>
      nnf_relu() |>
      self$dropout_dense() |>
      self$dense2()
  }
)

# --- build ---
build <- function(job, weights) {
  torch_manual_seed(job$seed)
  network <- cnn(job)
  network$load_state_dict(weights)
  network$to(device = job$device)
  optimizer <- optim_ignite_sgd(network$parameters, lr = job$learning_rate, momentum = job$momentum)
  list(network = network, optimizer = optimizer, job = job)
}

# --- training ---
train <- function(model, inputs, labels, batches) {
  model$network$train()
  losses <- lapply(seq_len(batches$size(1)), function(step) {
    examples <- batches[step, ] + 1L # R counts from 1, and so does torch for R
    images <- inputs$index_select(1, examples)$to(device = model$job$device)
    targets <- labels$index_select(1, examples)$to(device = model$job$device) + 1L
    model$optimizer$zero_grad()
    loss <- nnf_cross_entropy(model$network(images), targets)
    loss$backward()
    model$optimizer$step()
    loss$detach()
  })
  torch_stack(losses)
}

# --- prediction ---
predict <- function(model, inputs) {
  model$network$eval()
  with_no_grad({
    logits <- lapply(torch_split(inputs, model$job$batch_size), function(images) {
      model$network(images$to(device = model$job$device))
    })
    torch_cat(logits)
  })
}
