# What mlverse's torch needs that is the same for all models.

library(torch)

# Set threads; refuse what torch cannot do. It has no switch for TF32: NVIDIA_TF32_OVERRIDE is one (language.yaml).
configure <- function(job) {
  if (!torch_is_installed()) {
    stop_unavailable("torch lacks its library LibTorch. Install it: Rscript -e 'torch::install_torch()'")
  }
  if (job$device == "cuda" && !cuda_is_available()) {
    stop_unavailable("torch sees no CUDA device. Choose device: cpu, or install a CUDA build: torch::install_torch()")
  }
  torch_set_num_threads(job$threads)
}

# A tensor that holds the file's bytes as they are.
load <- function(tensor) {
  # LibTorch only borrows the memory, which R may free.
  torch_tensor_from_buffer(read_bytes(tensor), tensor$shape, tensor$dtype)$clone()
}

# A plain vector or matrix.
fetch <- function(value) {
  as_array(value$to(device = "cpu", dtype = torch_float()))
}

# Wait until the GPU, where one is in use, has finished.
synchronize <- function() {
  if (cuda_is_available()) {
    cuda_synchronize()
  }
}

# Device, threads and precision as torch reports them.
describe <- function(job) {
  name <- if (job$device == "cuda") {
    paste("CUDA", paste(cuda_get_device_capability(), collapse = "."))
  } else {
    "CPU"
  }
  list(device = list(kind = job$device, name = name), threads = torch_get_num_threads(), precision = "float32")
}
