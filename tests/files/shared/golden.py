"""Copies files and their cases from a folder of generated files.

    golden.py GENERATED tests/golden/files/FORMAT FILE...
"""
import base64
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
        if case["file"] not in names:
            continue
        values = case.get("values", "base64:")
        if not values.startswith("base64:"):
            with open(os.path.join(source, values), "rb") as elements:
                case["values"] = f"base64:{base64.b64encode(elements.read()).decode()}"
        f.write(json.dumps(case) + "\n")
for name in names:
    copy = shutil.copytree if os.path.isdir(os.path.join(source, name)) else shutil.copyfile
    copy(os.path.join(source, name), os.path.join(target, name))
