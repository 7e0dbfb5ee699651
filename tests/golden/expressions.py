"""Values and types of expressions as NumPy 2 computes them, with numbers of the text as Python numbers.

    python3 tests/golden/expressions.py
"""

import base64
import functools
import json
import pathlib
import warnings

import numpy as np

if hasattr(np, "_set_promotion_state"):
    np._set_promotion_state("weak")  # the default of NumPy 2
warnings.simplefilter("ignore")

kinds = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def sample(kind):
    """Extremes and small numbers of a type."""
    dtype = np.dtype(kind)
    if kind == "bool":
        return np.array([0, 1, 1, 0, 1, 0, 0, 1], dtype)
    if dtype.kind == "f":
        return np.array([0, -0.0, 1.5, -2.25, np.nan, np.inf, 1e10, -7], dtype)
    info = np.iinfo(dtype)
    return np.array([0, 1, 2, 3, 7, info.max, info.min, info.max - 4], dtype)


operands = {kind: sample(kind) for kind in kinds}
operands |= {f"{kind}_b": np.roll(sample(kind), 3) for kind in kinds}
operands["m"] = np.arange(6, dtype="float32").reshape(2, 3) / 4
operands["row"] = np.array([10, 20, 30], "int16")

functions = {
    "where": np.where,
    "min": lambda *args: functools.reduce(np.minimum, args),
    "max": lambda *args: functools.reduce(np.maximum, args),
    "clip": np.clip,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "round": np.round,
    "floor": np.floor,
    "ceil": np.ceil,
    "isMissing": np.isnan,
    "nan": float("nan"),
    "inf": float("inf"),
}

integers = [kind for kind in kinds if "int" in kind]
texts = []
for kind in kinds:
    texts += [f"{kind} + {kind}_b", f"{kind} * {kind}_b", f"{kind} / {kind}_b", f"{kind} % {kind}_b"]
    texts += [f"{kind} < {kind}_b", f"{kind} <= {kind}_b", f"{kind} == {kind}_b", f"{kind} != {kind}_b"]
    texts += [f"min({kind}, {kind}_b)", f"max({kind}, {kind}_b)", f"abs({kind})", f"where({kind}_b, {kind}, {kind}_b)"]
    if kind != "bool":
        texts += [f"{kind} - {kind}_b", f"-{kind}", f"{kind} ** 2", f"{kind} ** 3", f"clip({kind}, 1, 5)"]
        texts += [f"{kind} + 1", f"3 - {kind}", f"{kind} * 2", f"{kind} + 0.5", f"{kind} % 3", f"2 ** (3 * 2) - {kind}"]
for kind in [*integers, "bool"]:
    texts += [f"{kind} & {kind}_b", f"{kind} | {kind}_b", f"~{kind}"]
texts += ["uint8 ** uint8_b", "int32 ** uint8", "uint64 ** uint64_b", "int8 ** bool"]
texts += ["int64 < uint64_b", "uint64 <= int64_b", "int64 == uint64", "int8 > uint64", "uint64 != int64"]
texts += ["uint8 < 300", "uint8 > -1", "uint8 == 256", "300 > uint8", "int8 != 1000", "-129 >= int8", "uint8 < 2.5"]
texts += ["clip(uint8, -5, 300)", "clip(int16, float32, float64)", "clip(float32, 0, 2)", "clip(int8, -3, int16)"]
for name in ["sqrt", "exp", "log", "log10", "sin", "cos"]:
    texts += [f"{name}(float32)", f"{name}(float64)", f"{name}(int32)", f"{name}(int16)", f"{name}(float64_b / 10)"]
for name in ["round", "floor", "ceil"]:
    texts += [f"{name}(float32)", f"{name}(float64_b * 0.5)"]
texts += ["float64 ** 0.5", "float32 ** float32_b", "float64 ** int8", "2 ** float32", "float32 ** -1", "float64 ** 1.5"]
texts += ["where(float32 > 1, 1, 2)", "where(float32 > 1, float32, nan)", "where(int8 > 1, int8, nan)", "where(bool, 1.5, uint8)"]
texts += ["(float32 - float32_b) / (float32 + float32_b)", "-float64 ** 2", "-int32 ** 2 * -1", "2 ** 3 ** 2 + int64"]
texts += ["isMissing(float32)", "(float32 > 0) & ~(float64 > 2) | bool", "1.5 * 2 + uint8", "int8 + 1.0", "10 / 4 * float32"]
texts += ["m + row", "m * m - row / 4", "where(m > 0.5, row, m)", "row ** 2 - m", "bool + 1", "bool * 2.5", "bool % bool_b"]


def evaluate(text):
    return np.asarray(eval(text, {"__builtins__": {}}, operands | functions))


def packed(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def promoted(operation, kind):
    """Types of an operation of a type with each type, by their position; -1 if NumPy refuses it."""
    row = []
    for other in kinds:
        try:
            row.append(kinds.index(str(evaluate(f"{kind} {operation} {other}").dtype)))
        except (TypeError, ValueError):
            row.append(-1)
    return row


# NumPy 1 does not compare with integers that a type does not hold, has no bounds beyond it, and `where` differs.
newer = {
    "where(float32 > 1, float32, nan)": "where(float32 > 1, float32, float32.dtype.type(nan))",
    "uint8 < 300": "uint8 < uint16.dtype.type(300)",
    "uint8 > -1": "int16.dtype.type(-1) < uint8",
    "uint8 == 256": "uint8 == uint16.dtype.type(256)",
    "300 > uint8": "uint16.dtype.type(300) > uint8",
    "int8 != 1000": "int8 != int16.dtype.type(1000)",
    "-129 >= int8": "int16.dtype.type(-129) >= int8",
    "clip(uint8, -5, 300)": "uint8",
}
cases = []
for text in texts:
    array = evaluate(newer.get(text, text))
    assert str(array.dtype) in kinds, text
    cases.append([text, str(array.dtype), packed(array)])
document = {
    "kinds": kinds,
    "operands": {name: [str(a.dtype), list(a.shape), packed(a)] for name, a in operands.items()},
    "promotion": {op: [promoted(op, kind) for kind in kinds] for op in ["+", "*", "-", "/", "%", "&", "<"]},
    "cases": cases,
}
lines = [f'"{key}": {json.dumps(value)}' for key, value in document.items() if key != "cases"]
rows = ",\n".join(json.dumps(case) for case in cases)
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text("{" + ",\n".join(lines) + f',\n"cases": [\n{rows}\n]}}\n')
