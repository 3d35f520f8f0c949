"""
Stands in for UnsafePointers: pointers to C structures whose fields are read and written like a Julia structure's.
"""
module UnsafePointers

export UnsafePtr

"""
    UnsafePtr(pointer)
    UnsafePtr{T}(pointer)

`p.field` points to a field, `p[]` and `p[index]` are the value there, `p[] = value` writes it. A value that is a
pointer itself becomes an `UnsafePtr`; `p[!]` gives it as it is.
"""
struct UnsafePtr{T}
    pointer::Ptr{T}
    UnsafePtr{T}(pointer::Ptr) where {T} = new{T}(pointer)
end

UnsafePtr(pointer::Ptr{T}) where {T} = UnsafePtr{T}(pointer)
UnsafePtr(pointer::UnsafePtr) = pointer

plain(p::UnsafePtr) = getfield(p, :pointer)
wrapped(value) = value
wrapped(pointer::Ptr) = UnsafePtr(pointer)
wrapped(text::Cstring) = UnsafePtr(Ptr{UInt8}(text))

function Base.getproperty(p::UnsafePtr{T}, name::Symbol) where {T}
    index = Base.fieldindex(T, name)
    return UnsafePtr{fieldtype(T, index)}(plain(p) + fieldoffset(T, index))
end

Base.getindex(p::UnsafePtr, index::Integer = 1) = wrapped(unsafe_load(plain(p), index))
Base.getindex(p::UnsafePtr, ::typeof(!)) = unsafe_load(plain(p))
Base.setindex!(p::UnsafePtr{T}, value) where {T} = (unsafe_store!(plain(p), convert(T, value)); p)
Base.setindex!(p::UnsafePtr{Cstring}, value) = (unsafe_store!(plain(p), Cstring(Ptr{UInt8}(value))); p)

Base.:(==)(p::UnsafePtr, pointer::Ptr) = plain(p) == pointer
Base.:(==)(pointer::Ptr, p::UnsafePtr) = plain(p) == pointer
Base.String(p::UnsafePtr{UInt8}) = unsafe_string(plain(p))

# As an argument of ccall, and where a pointer is due.
Base.cconvert(::Type{<:Ptr}, p::UnsafePtr) = plain(p)
Base.convert(::Type{P}, p::UnsafePtr) where {P <: Ptr} = convert(P, plain(p))

end
