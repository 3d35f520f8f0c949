"""
Stands in for CondaPkg, which finds a Python for Julia. Under juliacall Python is there already: nothing is asked of it.
"""
module CondaPkg

end
