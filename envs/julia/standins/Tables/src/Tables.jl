"""
Stands in for Tables: the names of the functions that PythonCall extends. It is not asked for tables.
"""
module Tables

function istable end
function columnaccess end
function columns end
function columnnames end
function getcolumn end
function rows end

end
