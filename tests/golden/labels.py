"""Records what xarray selects by label, for tests/node/conventions/sel.test.ts.

    python3 tests/golden/labels.py > tests/golden/labels.json      (Debian: apt install python3-xarray)

Each axis has its coordinates as they are stored, each query what was asked of `DataArray.sel` and which elements came:
a number where the dimension was dropped, a list where it stayed, null where xarray raised an error.
"""
import json
import random
import sys

import numpy as np
import pandas as pd
import xarray as xr

random.seed(20)


def axis(name, values, dtype, attributes=None, coordinates=None):
    """`coordinates` are what xarray decodes the stored values to; the values themselves where nothing is decoded."""
    decoded = np.asarray(values, dtype) if coordinates is None else coordinates
    array = xr.DataArray(np.arange(len(decoded)), dims="x", coords={"x": decoded})
    return {"name": name, "values": list(values), "dtype": dtype, "attributes": attributes or {}}, array


def ask(array, label, method=None):
    try:
        found = array.sel(x=label, method=method)
    except (KeyError, IndexError, ValueError):
        return None
    return found.values.tolist()


def queries(array, labels, intervals, each, methods=("exact", "nearest", "pad")):
    asked = []
    for label in labels:
        for method in methods:
            found = ask(array, label, None if method == "exact" else method)
            asked.append({"label": label, "method": method, "found": found})
    for ends in intervals:
        asked.append({"interval": ends, "found": ask(array, slice(*ends))})
    for labels in each:
        for method in methods[:2]:
            found = ask(array, labels, None if method == "exact" else method)
            asked.append({"each": labels, "method": method, "found": found})
    return asked


def numbers(name, values, dtype):
    record, array = axis(name, values, dtype)
    low, high = min(values), max(values)
    labels = random.sample(list(values), min(6, len(values)))
    labels += [round(random.uniform(low - 3, high + 3), 3) for _ in range(12)]
    labels += [(a + b) / 2 for a, b in list(zip(values, values[1:]))[:6]]
    falls = values[0] > values[-1]
    intervals = []
    for _ in range(10):
        ends = sorted([round(random.uniform(low - 3, high + 3), 2) for _ in range(2)], reverse=falls)
        intervals.append(ends)
    intervals.append(sorted(random.sample(list(values), 2), reverse=falls))
    intervals += [[None, labels[0]], [labels[1], None], [None, None]]
    each = [random.sample(list(values), 3) for _ in range(3)] + [labels[6:11]]
    return {**record, "queries": queries(array, labels, intervals, each)}


def times(name, index, units, dtype="int64"):
    coded, encoded_units, calendar = xr.coding.times.encode_cf_datetime(index.values, units, "standard")
    attributes = {"units": encoded_units, "calendar": calendar}
    record, array = axis(name, coded.tolist(), dtype, attributes, index)
    texts = [str(when)[:length] for when in random.sample(list(index), 4) for length in (4, 7, 10, 13, 16, 19)]
    texts += ["1890", "2150-01-01", "2021-02-30T00"]
    texts = [text.replace(" ", "T") for text in texts]
    falls = index[0] > index[-1]
    if falls:  # of falling times xarray knows no parts
        texts = [text for text in texts if len(text) >= 10 and ask(array, text) is not None]
    firm = [text for text in texts if len(text) >= 10 and "02-30" not in text]
    intervals = [sorted(random.sample(firm, 2), reverse=falls) for _ in range(8)]
    months = sorted([str(when)[:7] for when in random.sample(list(index), 2)])
    intervals += [[None, firm[0]], [firm[1], None], months]
    found = queries(array, texts, [] if falls else intervals, [], ("exact",))
    for _ in range(8):
        ends = sorted(random.sample(list(index), 2), reverse=falls)
        found.append({"interval": [str(end) for end in ends], "found": ask(array, slice(*ends))})
    near = [(pd.Timestamp(text) + pd.Timedelta(minutes=random.randrange(-400, 400))) for text in firm[:8]]
    for when in near:
        for method in ("nearest", "pad"):
            found.append({"label": when.isoformat(), "method": method, "found": ask(array, when, method)})
    return {**record, "queries": found}


def texts(name, values):
    record, array = axis(name, values, "<U12")
    record["dtype"] = "string"
    asked = queries(array, [*values[:4], "nowhere"], [], [values[1:4], [values[0], "nowhere"]], ("exact",))
    return {**record, "queries": asked}


axes = [
    numbers("rising", [float(v) for v in range(-60, 61, 5)], "float64"),
    numbers("falling", [float(v) for v in np.arange(60, -60.1, -2.5)], "float64"),
    numbers("float32", [float(np.float32(v)) for v in np.arange(0, 20, 0.1)], "float32"),
    numbers("uneven", sorted({round(random.expovariate(0.02), 2) for _ in range(40)}), "float64"),
    numbers("integers", list(range(1000, 2000, 7)), "int16"),
    numbers("falling integers", list(range(300, 20, -9)), "int32"),
    numbers("single", [4.5, 7.5, 9.0], "float64"),
    times("hours", pd.date_range("2019-12-28", periods=500, freq="H"), "hours since 2019-01-01"),
    times("days", pd.date_range("2018-11-20", periods=900, freq="D"), "days since 1900-01-01"),
    times("months", pd.date_range("1990-01-01", periods=180, freq="MS"), "days since 1970-01-01"),
    times("seconds", pd.date_range("2021-03-01T10:00", periods=300, freq="37s"), "seconds since 2021-01-01"),
    times("falling days", pd.date_range("2020-02-01", periods=90, freq="D")[::-1], "days since 2000-01-01"),
    texts("channels", ["DAPI", "GFP", "Cy3", "Cy5", "bright field", "phase"]),
]
json.dump({"xarray": xr.__version__, "pandas": pd.__version__, "axes": axes}, sys.stdout, indent=None)
print()
