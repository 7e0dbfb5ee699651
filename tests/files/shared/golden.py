"""Copies files and their cases from a folder of generated files.

    golden.py GENERATED tests/golden/files/FORMAT FILE...
"""
import json
import os
import shutil
import sys

source, target, *names = sys.argv[1:]
os.makedirs(target, exist_ok=True)
with open(os.path.join(source, "expected.jsonl")) as f:
    cases = [json.loads(line) for line in f]
with open(os.path.join(target, "expected.jsonl"), "w") as f:
    for case in cases:
        if case["file"] in names:
            f.write(json.dumps(case) + "\n")
values = [case.get("values", "") for case in cases if case["file"] in names]
for name in [*names, *(value for value in values if value and not value.startswith("base64:"))]:
    copy = shutil.copytree if os.path.isdir(os.path.join(source, name)) else shutil.copyfile
    copy(os.path.join(source, name), os.path.join(target, name))
