"""The table in docs/e2b.md of every SDK call and its state, made of what the tests found.

usage: table.py --update|--check DOC RESULTS-FOLDER SCRIPTS-THAT-DID-NOT-END
"""

import json
import pathlib
import sys

BEGIN = "<!-- made by sdk/e2b-tests/run --update-docs: begin -->\n"
END = "<!-- end -->\n"


def read(folder):
    """What each client found of each call, in the order of the calls."""
    order = ["javascript", "python", "python-async", "javascript-older", "python-older"]
    found = [json.loads((folder / f"{name}.json").read_text()) for name in order if (folder / f"{name}.json").exists()]
    return {result["client"]: {case["call"]: case["ok"] for case in result["results"]} for result in found}


def table(clients):
    calls = list(dict.fromkeys(call for found in clients.values() for call in found))
    words = {True: "works", False: "**fails**", None: ""}
    lines = ["| call | " + " | ".join(clients) + " |", "|---|" + "---|" * len(clients)]
    for call in calls:
        lines.append(f"| {call} | " + " | ".join(words[found.get(call)] for found in clients.values()) + " |")
    return "\n".join(lines) + "\n"


def main():
    mode, doc, folder, unended = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4])
    clients = read(folder)
    made = table(clients)
    before, rest = doc.read_text().split(BEGIN, 1)
    kept, after = rest.split(END, 1)
    failed = sum(not ok for found in clients.values() for ok in found.values()) + unended
    passed = sum(ok for found in clients.values() for ok in found.values())
    if mode == "--update":
        doc.write_text(before + BEGIN + made + END + after)
    elif kept != made:
        failed += 1
        print(f"FAIL {doc} says something else than the tests found: run sdk/e2b-tests/run --update-docs")
        for line in sorted(set(made.splitlines()) - set(kept.splitlines())):
            print(f"     | found: {line}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
