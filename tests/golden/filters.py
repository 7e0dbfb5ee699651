"""Writes filters.jsonl: elements, and what the filters of numcodecs encode and decode, for pairs of data types.

/usr/bin/python3 tests/golden/filters.py > tests/golden/filters.jsonl
Needs numcodecs and NumPy 1. Casts whose result C leaves undefined (floats outside an integer type) are left out.
"""

import base64
import json
import warnings

import numcodecs
import numpy as np

warnings.simplefilter("ignore")
TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
# Integers of each width and sign, and a fraction.
NUMBERS = [(3, 1), (0, 3), (-7, -2), (200, 0.1), (-300, 1000), (100000, -40000), (0.5, 7)]


def text(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def elements(name):
    """Small and large elements of a data type; sums and differences of integers wrap."""
    random = np.random.default_rng(len(name) * 7 + ord(name[0]))
    dtype = np.dtype(name)
    if dtype.kind == "f":
        return np.concatenate([random.normal(0, 100, 4), [0.1, -0.0, 1000.5, 2048, 1, 3]]).astype(dtype)
    info = np.iinfo(dtype)
    return np.concatenate(
        [
            random.integers(0, 100, 4).astype(dtype),
            random.integers(info.min, info.max, 3, dtype, endpoint=True),
            np.array([info.max, info.min, 5], dtype),
        ]
    )


def is_defined(values, name):
    """False for floats that an integer type cannot hold."""
    dtype = np.dtype(name)
    if values.dtype.kind != "f" or dtype.kind == "f":
        return True
    info = np.iinfo(dtype)
    return bool(np.all(np.isfinite(values) & (values > info.min - 1.0) & (values < info.max)))


def delta(decoded, encoded):
    codec = numcodecs.Delta(decoded, encoded)
    x = elements(decoded)
    steps = np.diff(x)
    if not is_defined(x, encoded) or not is_defined(steps, encoded):
        return None
    stored = codec.encode(x)
    total = np.cumsum(stored, dtype=np.promote_types(decoded, encoded))
    # uint64 and signed integers: beyond 2^53, float64 loses digits.
    is_exact = total.dtype.kind != "f" or "f" in decoded + encoded or np.all(np.abs(total) < 2**53)
    back = codec.decode(stored) if is_exact and is_defined(total, decoded) else None
    return x, stored, back


def fixedscaleoffset(decoded, encoded, offset, scale):
    codec = numcodecs.FixedScaleOffset(offset, scale, decoded, encoded)
    x = elements(decoded)
    if not is_defined(np.around((x - offset) * scale), encoded):
        return None
    stored = codec.encode(x)
    values = stored / scale + offset
    if encoded == "f4" and values.dtype != np.float32:
        return x, stored, None  # in float64 with NumPy 1, in float32 with NumPy 2
    return x, stored, codec.decode(stored) if is_defined(values, decoded) else None


def row(name, configuration, result):
    x, stored, back = result
    configuration = {**configuration, "dtype": f"<{x.dtype.str[1:]}", "astype": f"<{stored.dtype.str[1:]}"}
    line = {"codec": name, "configuration": configuration, "decoded": text(x), "encoded": text(stored)}
    print(json.dumps({**line, **({} if back is None else {"back": text(back)})}))


for decoded in TYPES:
    for encoded in TYPES:
        result = delta(decoded, encoded)
        if result is not None:
            row("delta", {}, result)
# With arrays of floats, NumPy 1 and 2 differ in the type for large numbers.
for decoded in [name for name in TYPES if name[0] != "f"]:
    for encoded in dict.fromkeys([decoded, "i2", "u8", "f4", "f8"]):
        for offset, scale in NUMBERS:
            result = fixedscaleoffset(decoded, encoded, offset, scale)
            if result is not None:
                row("fixedscaleoffset", {"offset": offset, "scale": scale}, result)
