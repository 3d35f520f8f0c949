"""
Stands in for MacroTools: `isexpr`, and `@capture` for patterns of the kinds that PythonCall uses.
"""
module MacroTools

export isexpr, @capture

"""
    isexpr(expression, heads...)

Whether it is an expression with one of these heads.
"""
isexpr(expression, heads...) = expression isa Expr && expression.head in heads

"""
    @capture(expression, pattern)

Whether the expression looks like the pattern, in which `name_` stands for anything, `name_Type` for something of this
type and `name__` for the rest of a list. Sets the variables of these names, to `nothing` where it does not.
"""
macro capture(expression, pattern)
    names = collect_names!(Symbol[], pattern)
    assignments = [:($(esc(name)) = get(found, $(QuoteNode(name)), nothing)) for name in names]
    return quote
        found = Dict{Symbol, Any}()
        matched = matches!(found, $(QuoteNode(pattern)), $(esc(expression)))
        matched || empty!(found)
        $(assignments...)
        matched
    end
end

# (kind, name, type) of a placeholder, or nothing: kind is :one or :rest.
function placeholder(symbol)
    text = String(symbol)
    rest = match(r"^(.+)__$", text)
    rest === nothing || return :rest, Symbol(rest[1]), Any
    one = match(r"^(.+)_([A-Z]\w*)?$", text)
    one === nothing && return nothing
    return :one, Symbol(one[1]), one[2] === nothing ? Any : getfield(Base, Symbol(one[2]))
end

collect_names!(names, pattern) = names
collect_names!(names, pattern::Symbol) = placeholder(pattern) === nothing ? names : push!(names, placeholder(pattern)[2])
collect_names!(names, pattern::Expr) = foldl(collect_names!, pattern.args; init = names)

matches!(found, pattern, expression) = pattern == expression

function matches!(found, pattern::Symbol, expression)
    place = placeholder(pattern)
    place === nothing && return pattern === expression
    _, name, type = place
    found[name] = expression
    return expression isa type
end

function matches!(found, pattern::Expr, expression)
    isexpr(expression, pattern.head) || return false
    wanted, given = without_lines(pattern.args), without_lines(expression.args)
    for (index, part) in enumerate(wanted)
        place = part isa Symbol ? placeholder(part) : nothing
        if place !== nothing && place[1] == :rest
            found[place[2]] = given[index:end]
            return true
        end
        index <= length(given) && matches!(found, part, given[index]) || return false
    end
    return length(wanted) == length(given)
end

without_lines(args) = filter(arg -> !(arg isa LineNumberNode), args)

end
