"""Runs the recipe.py of a folder on inputs: reads one JSON value a line, prints one answer a line."""

import doctest
import importlib.util
import json
import sys

spec = importlib.util.spec_from_file_location("recipe", f"{sys.argv[1]}/recipe.py")
recipe = importlib.util.module_from_spec(spec)
sys.modules["recipe"] = recipe
spec.loader.exec_module(recipe)
function = getattr(recipe, sys.argv[2])
for line in sys.stdin:
    try:
        answer = {"output": function(json.loads(line))}
    except LookupError as error:
        answer = {"none": str(error)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
failed, examples = doctest.testmod(recipe)
print(json.dumps({"failed": failed, "examples": examples}))
