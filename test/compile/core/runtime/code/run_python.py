"""Runs written modules: reads {"programs": [{"source", "name", "inputs"}]}, prints one list of answers a program."""

import contextlib
import doctest
import io
import json
import sys
import types


def answer(function, given):
    try:
        return {"output": function(json.loads(given))}
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        return {"none": f"{type(error).__name__}: {error}"[:200]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}


for line in sys.stdin:
    program = json.loads(line)
    module = types.ModuleType("written")
    sys.modules["written"] = module
    try:
        exec(compile(program["source"], "written", "exec"), module.__dict__)
        answers = [answer(getattr(module, program["name"]), given) for given in program["inputs"]]
        if program["inputs"]:
            with contextlib.redirect_stdout(io.StringIO()) as report:
                failed, _ = doctest.testmod(module)
            if failed:
                answers = [{"error": f"{failed} examples fail: {report.getvalue()}"}]
    except Exception as error:
        answers = [{"error": f"module: {type(error).__name__}: {error}"[:300]}]
    print(json.dumps(answers, ensure_ascii=True, default=lambda value: {"not json": repr(value)}))
