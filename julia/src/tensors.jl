# Maps a job's tensors: no byte is read before it is needed.

const DTYPES = Dict(
    "uint8" => UInt8,
    "int32" => Int32,
    "int64" => Int64,
    "float32" => Float32,
    "float64" => Float64,
)

"""
    map_tensor(place)

Map a tensor. Julia's arrays are column-major, so its dimensions are those of the job in reverse: a row-major
`(N, C, H, W)` is a `(W, H, C, N)` here. The file is opened for reading only: an implementation copies what it changes.
"""
function map_tensor(place)
    shape = Tuple(Int(length) for length in reverse(place["shape"]))
    type = Array{DTYPES[place["dtype"]], length(shape)}
    path, offset = place["path"], place["offset"]
    # Julia answers a read beyond the end of a file with a bus error.
    if offset + sizeof(eltype(type)) * prod(shape) > filesize(path)
        error("$path ends before the tensor of shape $(reverse(shape)) at byte $offset does.")
    end
    return open(io -> mmap(io, type, shape, offset; grow = false, shared = false), path)
end

"""
    map_tensors(places)

Map tensors by name.
"""
map_tensors(places) = Dict{String, Any}(name => map_tensor(place) for (name, place) in places)
