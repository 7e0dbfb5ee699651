"""The folder of a generator, OUT, and its cases."""
import json
import os
import sys

out = sys.argv[1]
lines = []


def place(name):
    return os.path.join(out, name)


def write_cases():
    with open(place("expected.jsonl"), "w") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
