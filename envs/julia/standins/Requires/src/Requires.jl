"""
Stands in for Requires, which runs code once another package is loaded. Here no other package is: it runs nothing.
"""
module Requires

export @require

macro require(package, code)
    return nothing
end

end
