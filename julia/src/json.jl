# Reads and writes JSON (RFC 8259): Julia's standard library cannot.

const DEEPEST_NESTING = 500  # a bound, so that a hostile text is an error and not a stack overflow
const HIGH_SURROGATES = 0xd800:0xdbff
const LOW_SURROGATES = 0xdc00:0xdfff
const ESCAPES = Dict(
    '"' => '"', '\\' => '\\', '/' => '/', 'b' => '\b', 'f' => '\f', 'n' => '\n', 'r' => '\r', 't' => '\t',
)
const NUMBER = r"\G-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"

"""
    JSONError(message, line, column)

The text is not JSON; the column counts characters.
"""
struct JSONError <: Exception
    message::String
    line::Int
    column::Int
end

Base.showerror(io::IO, error::JSONError) =
    print(io, "not JSON: ", error.message, " (line ", error.line, ", column ", error.column, ")")

"""
    parse_json(text)

Read a JSON text. Objects become `Dict{String, Any}` (of equal names the last counts), arrays `Vector{Any}`, `null`
`nothing`; a number is an `Int`, beyond that a `BigInt`, and a `Float64` where it has a fraction or an exponent.
"""
function parse_json(text::AbstractString)
    reader = Reader(String(text), 1)
    isvalid(reader.text) || refuse(reader, "the text is not UTF-8")
    value = read_value(reader, 0)
    skip_space(reader)
    at_end(reader) || refuse(reader, "there is more text after the value")
    return value
end

mutable struct Reader
    text::String
    position::Int  # in bytes
end

at_end(reader) = reader.position > ncodeunits(reader.text)

# The next character, or the null character, which JSON does not know, at the end.
peek_char(reader) = at_end(reader) ? '\0' : reader.text[reader.position]

function next_char(reader)
    at_end(reader) && refuse(reader, "the text ends too early")
    character = reader.text[reader.position]
    reader.position += ncodeunits(character)
    return character
end

function refuse(reader, message)
    before = SubString(reader.text, 1, prevind(reader.text, min(reader.position, ncodeunits(reader.text) + 1)))
    line = count(==('\n'), before) + 1
    start_of_line = something(findlast('\n', before), 0)
    throw(JSONError(message, line, length(SubString(before, start_of_line + 1)) + 1))
end

function skip_space(reader)
    while peek_char(reader) in (' ', '\t', '\n', '\r')
        reader.position += 1
    end
end

function read_value(reader, depth)
    depth <= DEEPEST_NESTING || refuse(reader, "more than $DEEPEST_NESTING levels")
    skip_space(reader)
    character = peek_char(reader)
    character == '{' && return read_object(reader, depth)
    character == '[' && return read_array(reader, depth)
    character == '"' && return read_string(reader)
    (character == '-' || character in '0':'9') && return read_number(reader)
    for (word, value) in ("true" => true, "false" => false, "null" => nothing)
        if startswith(SubString(reader.text, reader.position), word)
            reader.position += length(word)
            return value
        end
    end
    at_end(reader) && refuse(reader, "the text ends where a value is due")
    refuse(reader, "no value begins with $(repr(character))")
end

function read_object(reader, depth)
    object = Dict{String, Any}()
    next_char(reader)
    skip_space(reader)
    if peek_char(reader) == '}'
        next_char(reader)
        return object
    end
    while true
        skip_space(reader)
        peek_char(reader) == '"' || refuse(reader, "a name in quotation marks is due")
        name = read_string(reader)
        skip_space(reader)
        peek_char(reader) == ':' || refuse(reader, "':' is due")
        next_char(reader)
        object[name] = read_value(reader, depth + 1)
        goes_on(reader, '}') || return object
    end
end

function read_array(reader, depth)
    array = Any[]
    next_char(reader)
    skip_space(reader)
    if peek_char(reader) == ']'
        next_char(reader)
        return array
    end
    while true
        push!(array, read_value(reader, depth + 1))
        goes_on(reader, ']') || return array
    end
end

# Whether a comma follows, and not the end of the object or array.
function goes_on(reader, closing)
    skip_space(reader)
    character = peek_char(reader)
    character in (',', closing) || refuse(reader, "',' or '$closing' is due")
    next_char(reader)
    return character == ','
end

function read_number(reader)
    found = match(NUMBER, reader.text, reader.position)
    found === nothing && refuse(reader, "a digit is due")
    reader.position += ncodeunits(found.match)
    if peek_char(reader) in ('.', 'e', 'E') || peek_char(reader) in '0':'9'
        refuse(reader, "not a number as JSON spells it")
    end
    whole = found[1] === nothing && found[2] === nothing
    whole && return something(tryparse(Int, found.match), parse(BigInt, found.match))
    # `parse(Float64, ...)` refuses what is too small, too.
    number = something(tryparse(Float64, found.match), Float64(parse(BigFloat, found.match)))
    return isfinite(number) ? number : refuse(reader, "a number too large")
end

function read_string(reader)
    next_char(reader)
    characters = IOBuffer()
    while true
        character = next_char(reader)
        character == '"' && return String(take!(characters))
        character < ' ' && refuse(reader, "a control character in a string")
        print(characters, character == '\\' ? read_escape(reader) : character)
    end
end

function read_escape(reader)
    character = next_char(reader)
    if character != 'u'
        haskey(ESCAPES, character) || refuse(reader, "no escape begins with \\$character")
        return ESCAPES[character]
    end
    code = read_code(reader)
    code in LOW_SURROGATES && refuse(reader, "half of a surrogate pair")
    code in HIGH_SURROGATES || return Char(code)
    startswith(SubString(reader.text, reader.position), "\\u") || refuse(reader, "half of a surrogate pair")
    reader.position += 2
    low = read_code(reader)
    low in LOW_SURROGATES || refuse(reader, "half of a surrogate pair")
    return Char(0x10000 + (code - first(HIGH_SURROGATES)) << 10 + low - first(LOW_SURROGATES))
end

function read_code(reader)
    code = UInt32(0)
    for _ in 1:4
        digit = tryparse(UInt32, string(next_char(reader)); base = 16)
        digit === nothing && refuse(reader, "four hexadecimal digits are due")
        code = code << 4 + digit
    end
    return code
end

"""
    write_json(io, value)

Write a value as JSON on one line. Throws an `ArgumentError` at a number that is not finite.
"""
write_json(io::IO, ::Nothing) = print(io, "null")
write_json(io::IO, value::Union{Bool, Integer}) = print(io, value)

function write_json(io::IO, value::AbstractFloat)
    isfinite(value) || throw(ArgumentError("JSON has no spelling for $value"))
    print(io, Float64(value))
end

function write_json(io::IO, value::AbstractString)
    print(io, '"')
    for character in value
        # What is not Unicode, as in the name of a file, is replaced.
        character = isvalid(character) ? character : '\ufffd'
        if character in ('"', '\\')
            print(io, '\\', character)
        elseif character < ' '
            print(io, "\\u", string(UInt32(character); base = 16, pad = 4))
        else
            print(io, character)
        end
    end
    print(io, '"')
end

write_json(io::IO, values::AbstractVector) = write_list(write_json, io, values, '[', ']')

write_json(io::IO, object::AbstractDict) = write_list(io, object, '{', '}') do io, (name, value)
    write_json(io, string(name))
    print(io, ": ")
    write_json(io, value)
end

function write_list(write_item, io, items, opening, closing)
    print(io, opening)
    for (number, item) in enumerate(items)
        number > 1 && print(io, ", ")
        write_item(io, item)
    end
    print(io, closing)
end
