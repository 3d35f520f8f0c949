"""The toy language's probe: a package is installed if its name begins with `there`."""

import json
import sys

packages = {name: "1.0" if name.startswith("there") else None for name in sys.argv[1:]}
print(json.dumps({"version": "1.0", "packages": packages}))
