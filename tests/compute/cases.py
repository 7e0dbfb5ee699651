"""Random reductions with exact results: python3 cases.py COUNT SEED > cases.jsonl

Sums are computed with integers and fractions, then rounded once. xarray reduces the same data, as a check that dimensions,
groups and missing values mean the same; its own sums are rounded more often.
"""

import base64
import json
import math
import random
import sys
import warnings
from fractions import Fraction

import cftime
import numpy as np
import xarray as xr

xr.set_options(use_bottleneck=False)  # it refuses windows that are longer than the dimension

warnings.simplefilter("ignore")

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64", "float16"]
CALENDARS = ["standard", "proleptic_gregorian", "noleap", "all_leap", "360_day", "julian"]
PARTS = ["month", "season", "year", "dayofyear", "hour", "day"]
METHODS = ["count", "sum", "mean", "std", "var", "min", "max", "argmin", "argmax", "any", "all", "first", "last"]
NAMES = ["time", "lat", "lon", "level"]
SEASONS = ["DJF", "MAM", "JJA", "SON"]


def encode(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def random_shape(rng):
    rank = rng.choice([1, 2, 2, 3, 3, 4])
    while True:
        shape = [rng.choice([1, 2, 3, 5, 7, 8, 12, 16, 17, 24, 33, 64]) for _ in range(rank)]
        if math.prod(shape) <= 1500:
            return shape


def random_values(rng, np_rng, dtype, count):
    kind = np.dtype(dtype)
    if dtype == "bool":
        return np_rng.random(count) < rng.choice([0.0, 0.1, 0.9, 1.0])
    if kind.kind == "f":
        values = np_rng.normal(rng.choice([0, 280]), rng.choice([1, 10]), count)
        if dtype != "float16" and rng.random() < 0.3:
            values *= 10.0 ** np_rng.integers(-20, 20, count)  # sums that cancel
        return values.astype(dtype)
    info = np.iinfo(dtype)
    if kind.itemsize == 8 and rng.random() < 0.6:
        return np_rng.integers(max(info.min, -(2**50)), 2**50, count).astype(dtype)
    if rng.random() < 0.5:
        return np_rng.integers(max(info.min, -3), 4, count).astype(dtype)
    return np_rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


def random_array(rng, np_rng):
    shape = random_shape(rng)
    dtype = rng.choice(INTEGERS + FLOATS * 3 + ["bool"])
    data = random_values(rng, np_rng, dtype, math.prod(shape)).reshape(shape)
    version = rng.choice([2, 3])
    chunks = [rng.choice([1, 2, 3, 4, 7, 16, length, length + 2]) for length in shape]
    chunks = [min(chunk, 2 * length) for chunk, length in zip(chunks, shape)]
    shards = [chunk * rng.choice([1, 2, 3]) for chunk in chunks] if version == 3 and rng.random() < 0.4 else None
    attributes = {}
    fill = 0 if version == 3 else None
    if dtype == "bool":
        fill = False if version == 3 else None
    elif data.dtype.kind == "f":
        fill = "NaN" if rng.random() < 0.5 else 0
        if version == 2 and fill == 0:
            fill = None
        if rng.random() < 0.6:
            data[np_rng.random(shape) < rng.choice([0.05, 0.5, 0.95])] = np.nan
        elif rng.random() < 0.1:
            data[np_rng.random(shape) < 0.05] = rng.choice([np.inf, -np.inf])
        if rng.random() < 0.2 and dtype == "float32":
            attributes["missing_value"] = 1e20
            data[np_rng.random(shape) < 0.2] = np.float32(1e20)
    elif rng.random() < 0.5:
        some = int(data.flat[0])
        if abs(some) < 2**53:
            attributes["_FillValue"] = some
        if rng.random() < 0.6 and data.dtype.itemsize <= 4:
            attributes["scale_factor"] = rng.choice([0.01, 0.5, 1e-3, 3.0])
            if rng.random() < 0.7:
                attributes["add_offset"] = rng.choice([273.15, -5, 1e3])
        if rng.random() < 0.15 and dtype in ("int8", "int16"):
            attributes = {"_Unsigned": "true"}
    elif version == 2 and rng.random() < 0.3:
        fill = int(data.flat[-1]) if abs(int(data.flat[-1])) < 2**53 else None
    if rng.random() < 0.3:  # missing chunks
        corner = tuple(slice(0, chunk) for chunk in chunks)
        data[corner] = np.nan if fill == "NaN" else (fill or 0)
    names = rng.sample(NAMES, len(shape))
    return {
        "shape": shape,
        "dtype": dtype,
        "version": version,
        "chunks": chunks,
        "shards": shards,
        "fill": fill,
        "attributes": attributes,
        "names": names,
    }, data


def decode(array, data):
    """Decodes as decodeCF does, the types included. Returns values and whether they are floats."""
    attributes = array["attributes"]
    if attributes.get("_Unsigned") == "true":
        data = data.view(data.dtype.str.replace("i", "u"))
    missing = [attributes[name] for name in ("_FillValue", "missing_value") if name in attributes]
    fill = array["fill"]
    is_number = fill is not None and fill is not False and fill != "NaN"
    if array["version"] == 2 and "_FillValue" not in attributes and is_number:
        missing.append(fill)
    scale, offset = attributes.get("scale_factor"), attributes.get("add_offset")
    is_packed = scale is not None or offset is not None
    if not missing and not is_packed:
        return data
    is_wide = data.dtype.itemsize > 2 and data.dtype != np.float32
    values = data.astype("f8") * (1 if scale is None else scale) + (0 if offset is None else offset)
    values = values.astype("f8" if is_packed or is_wide else "f4")
    for value in missing:
        values[data == np.array(value).astype(data.dtype)] = np.nan
    return values


def random_times(rng, np_rng, count):
    calendar = rng.choice(CALENDARS)
    units = rng.choice(["days", "hours"]) + " since " + rng.choice(["1999-11-28", "2000-02-01 06:00:00", "1850-01-01"])
    step = rng.choice([1, 6, 30, 31, 365]) * (24 if units.startswith("hours") and rng.random() < 0.7 else 1)
    numbers = np.arange(count) * step + rng.choice([0, 0, 59, 300])
    if rng.random() < 0.2:
        np_rng.shuffle(numbers)
    dtype = rng.choice(["int32", "int64", "float64"])
    return {"attributes": {"units": units, "calendar": calendar}, "dtype": dtype}, numbers.astype(dtype)


def part_of(date, part):
    if part == "season":
        return SEASONS[date.month % 12 // 3]
    if part == "dayofyear":
        return date.dayofyr
    return getattr(date, part)


def random_selection(rng, shape):
    entries = []
    for length in shape:
        choice = rng.random()
        if choice < 0.4 or length < 3:
            entries.append(None)
        elif choice < 0.6:
            entries.append(rng.randrange(length))
        elif choice < 0.9:
            start = rng.randrange(length - 1)
            entries.append({"start": start, "stop": rng.randrange(start + 1, length + 1), "step": rng.choice([1, 1, 2, 3])})
        else:
            entries.append(rng.sample(range(length), rng.randrange(1, min(length, 5) + 1)))
    return entries


def select(data, entries):
    for axis, entry in reversed(list(enumerate(entries))):
        if isinstance(entry, int):
            data = np.take(data, entry, axis)
        elif isinstance(entry, dict):
            data = data[(slice(None),) * axis + (slice(entry["start"], entry["stop"], entry["step"]),)]
        elif entry is not None:
            data = np.take(data, entry, axis)
    return data


def rounded(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def root(value):
    """Returns the correctly rounded square root of a fraction."""
    if value <= 0:
        return 0.0
    shift = max(0, 140 - (value.numerator.bit_length() - value.denominator.bit_length()))
    shift += shift % 2
    return rounded(Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1) / (1 << shift // 2))


def moments(values, weights):
    """Returns sum, mean and variance of finite numbers as fractions; None without weight."""
    numbers = [Fraction(value) for value in values]
    by = [Fraction(1)] * len(numbers) if weights is None else [Fraction(weight) for weight in weights]
    scale = max([number.denominator for number in numbers] + [1])
    heavy = max([weight.denominator for weight in by] + [1])
    whole = [number.numerator * (scale // number.denominator) for number in numbers]
    mass = [weight.numerator * (heavy // weight.denominator) for weight in by]
    total = Fraction(sum(x * w for x, w in zip(whole, mass)), scale * heavy)
    squares = Fraction(sum(x * x * w for x, w in zip(whole, mass)), scale * scale * heavy)
    weight = Fraction(sum(mass), heavy)
    if weight == 0:
        return total, None, None
    return total, total / weight, (squares - total * total / weight) / weight


def statistics(values, weights, methods, skips):
    """Computes methods of the values of one cell, in C order. Floats are missing if they are NaN."""
    is_float = values.dtype.kind == "f"
    valid = ~np.isnan(values) if is_float else np.ones(len(values), bool)
    has_missing = not valid.all()
    kept = values[valid]
    own = None if weights is None else weights[valid]
    result = {"count": float(len(kept))}
    if {"sum", "mean", "var", "std"} & set(methods):
        if is_float and not np.isfinite(kept).all():
            with np.errstate(all="ignore"):
                sums = float(np.sum(kept.astype("f8") * (1 if own is None else own)))
            total, mean, variance = sums, sums, math.nan
        else:
            listed = [float(value) for value in kept] if is_float else [int(value) for value in kept]
            total, mean, variance = moments(listed, own)
        empty = len(kept) == 0 or mean is None
        result["sum"] = total if not is_float and own is None else rounded(total)
        result["mean"] = math.nan if empty else rounded(mean)
        result["var"] = math.nan if empty else rounded(variance)
        is_exact = not empty and isinstance(variance, Fraction)
        result["std"] = root(variance) if is_exact else math.nan
    for name in ("min", "max"):
        result[name] = getattr(kept, name)() if len(kept) else math.nan
        found = np.flatnonzero(valid & (values == result[name]))
        result[f"arg{name}"] = float(found[0]) if len(kept) else -1.0
    result["any"], result["all"] = bool(kept.any()), bool(kept.all())
    result["first"], result["last"] = (kept[0], kept[-1]) if len(kept) else (math.nan, math.nan)
    if not skips and has_missing:
        for name in ("sum", "mean", "var", "std", "min", "max"):
            result[name] = math.nan
    return {name: result[name] for name in methods}


def check_with_xarray(values, names, case, expected, dims):
    """Compares sums and means with xarray's."""
    labelled = xr.DataArray(values.astype("f8") if values.dtype.kind == "f" else values, dims=names)
    over, by = case["over"] or None, case.get("groups")
    weights, skips = case.get("weights"), case["skips"]
    for method in {"sum", "mean", "min", "max", "var"} & set(expected):
        if by is not None:
            if weights is not None:
                continue
            grouped = labelled.assign_coords(group=(by["dimension"], by["labels"])).groupby("group")
            along = [by["dimension"]] + [name for name in case["over"] if name != by["dimension"]]
            found = getattr(grouped, method)(along, **({"skipna": skips} if values.dtype.kind == "f" else {}))
            found = found.transpose(*["group" if dim == "@" else dim for dim in dims])
        elif weights is not None:
            if method not in ("sum", "mean") or not skips:
                continue
            own = xr.DataArray(weights["values"], dims=weights["names"])
            found = getattr(labelled.weighted(own), method)(over)
        else:
            skipna = {"skipna": skips} if values.dtype.kind == "f" else {}
            found = getattr(labelled, method)(over, **skipna)
        mine = np.array([float(value) for value in expected[method]])
        theirs = np.asarray(found, "f8").ravel()
        scale = np.nanmax(np.abs(values.astype("f8")), initial=0) if np.isfinite(values.astype("f8")).any() else 0
        near = np.isclose(mine, theirs, rtol=1e-6, atol=1e-9 * scale * max(1, scale) * values.size, equal_nan=True)
        overflows = np.abs(mine) > 2**62 if method == "sum" else False
        spread = ~np.isfinite(theirs) & (method == "var")  # of infinities, or too large
        assert (near | overflows | spread).all(), (method, mine, theirs, dims, case)


def make_case(index, rng, np_rng):
    array, stored = random_array(rng, np_rng)
    names, shape = array["names"], array["shape"]
    entries = random_selection(rng, shape) if rng.random() < 0.3 else None
    values = decode(array, stored)
    coords, options = {}, {}
    kind = rng.random()
    group_axis = rng.randrange(len(shape)) if kind < 0.45 else None
    is_window = group_axis is not None and kind < 0.06
    if entries is not None and (group_axis is not None and isinstance(entries[group_axis], int)):
        entries[group_axis] = None
    if is_window and entries is not None:
        entries = None
    labels, group_name = None, None
    if group_axis is not None and not is_window:
        name, length = names[group_axis], shape[group_axis]
        if kind < 0.3:
            coordinate, numbers = random_times(rng, np_rng, length)
            coords[name] = {**coordinate, "data": encode(numbers)}
            part = rng.choice(PARTS)
            dates = cftime.num2date(numbers, coordinate["attributes"]["units"], coordinate["attributes"]["calendar"])
            labels = [part_of(date, part) for date in dates]
            options["groupBy"], group_name = f"{name}.{part}", part
        else:
            labels = [rng.choice(["a", "bb", "c d"]) if kind < 0.4 else rng.randrange(4) for _ in range(length)]
            options["groupBy"] = {"dimension": rng.choice([name, group_axis]), "labels": labels}
            group_name = "group"
    if entries is not None:
        options["selection"] = entries
        values = select(values, entries)
        kept_axes = [axis for axis in range(len(shape)) if not isinstance(entries[axis], int)]
        if labels is not None:
            labels = list(select(np.array(labels, object), [entries[group_axis]]))
        names = [names[axis] for axis in kept_axes]
    if is_window:
        return window_case(index, rng, array, stored, values, group_axis)
    group_dim = array["names"][group_axis] if group_axis is not None else None
    others = [name for name in names if name != group_dim]
    over = rng.sample(others, rng.randrange(0 if group_dim else 1, len(others) + 1)) if others else []
    if over or not group_dim:
        is_all = not group_dim and set(over) == set(names) and rng.random() < 0.5
        if not is_all:
            by_number = rng.random() < 0.3
            options["over"] = [array["names"].index(name) if by_number else name for name in over]
    methods = rng.sample(METHODS, rng.randrange(1, 7))
    if any(isinstance(entry, list) for entry in entries or []):
        # Lists are refused for methods that depend on the order.
        methods = [name for name in methods if name not in ("argmin", "argmax", "first", "last")] or ["sum"]
    weights = None
    if rng.random() < 0.25:
        own = rng.sample(array["names"], rng.choice([1, 1, min(2, len(shape))]))
        lengths = [shape[array["names"].index(name)] for name in own]
        table = np_rng.random(lengths) if rng.random() < 0.8 else np_rng.integers(0, 3, lengths).astype("f8")
        options["weights"] = {"names": own, "shape": lengths, "data": encode(table)}
        picked = [None if entries is None else entries[array["names"].index(name)] for name in own]
        table = select(table, picked)
        weights = {
            "names": [name for name, entry in zip(own, picked) if not isinstance(entry, int)],
            "values": table,
        }
    skips = values.dtype.kind != "f" or rng.random() < 0.85
    if not skips:
        options["skipMissing"] = False
        methods = [name for name in methods if name in ("sum", "mean", "var", "std", "min", "max")] or ["mean"]
    dims, expected, groups = cells_of(values, names, over, group_dim, labels, weights, methods, skips)
    by = None if labels is None else {"dimension": group_dim, "labels": labels}
    case = {"over": over, "groups": by, "weights": weights, "skips": skips}
    check_with_xarray(values, names, case, expected, dims)
    is_exact = values.dtype.kind != "f"
    return finish(index, array, stored, coords, options, methods, expected, [group_name if dim == "@" else dim for dim in dims],
                  {group_name: groups} if groups is not None else {}, is_exact and weights is None, values.dtype)


def cells_of(values, names, over, group_dim, labels, weights, methods, skips):
    """Gathers the values of every cell in C order, and reduces them. "@" stands for the groups among the dimensions."""
    kept = [name for name in names if name not in over and name != group_dim]
    dims = [("@" if name == group_dim else name) for name in names if name in kept or name == group_dim]
    groups = None if labels is None else sorted(set(labels))
    table = None
    if weights is not None:
        shaped = xr.DataArray(weights["values"], dims=weights["names"])
        table = shaped.broadcast_like(xr.DataArray(np.empty(values.shape), dims=names)).transpose(*names).values
    lengths = [len(groups) if dim == "@" else values.shape[names.index(dim)] for dim in dims]
    expected = {name: [] for name in methods}
    for cell in np.ndindex(*lengths):
        picks = []
        for axis, name in enumerate(names):
            if name == group_dim:
                wanted = groups[cell[dims.index("@")]]
                picks.append([i for i, label in enumerate(labels) if label == wanted])
            elif name in kept:
                picks.append([cell[dims.index(name)]])
            else:
                picks.append(list(range(values.shape[axis])))
        grid = np.ix_(*picks)
        found = statistics(values[grid].ravel(), None if table is None else table[grid].ravel(), methods, skips)
        for name in ("argmin", "argmax"):
            if name in found and found[name] >= 0 and group_dim is not None:
                found[name] = whole_position(int(found[name]), picks, names, kept, values.shape)
        for name, value in found.items():
            expected[name].append(value)
    return dims, expected, groups


def whole_position(position, picks, names, kept, shape):
    """Converts a position among the elements of a group to one among all along the reduced dimensions."""
    index = np.unravel_index(position, [len(pick) for pick in picks])
    at = 0
    for axis, name in enumerate(names):
        if name not in kept:
            at = at * shape[axis] + picks[axis][index[axis]]
    return float(at)


def window_case(index, rng, array, stored, values, axis):
    """Windows of a number of elements that end at each element, or have it at their centre."""
    names, window = array["names"], rng.choice([1, 2, 3, 4])
    is_centred = rng.random() < 0.4
    methods = rng.sample(["sum", "mean", "min", "max", "var", "std"], rng.randrange(1, 4))
    length, shift = values.shape[axis], ((window - 1) // 2 if is_centred else 0)
    moved = np.moveaxis(values, axis, -1)
    expected = {name: [] for name in methods}
    results = {name: np.empty(moved.shape) for name in methods}
    for cell in np.ndindex(*moved.shape):
        last = cell[-1] + shift
        inside = moved[cell[:-1]][max(0, last - window + 1) : min(length, last + 1)]
        found = statistics(inside, None, methods, True)
        valid = len(inside) - (np.isnan(inside).sum() if inside.dtype.kind == "f" else 0)
        for name in methods:
            results[name][cell] = found[name] if valid == window and last < length and last - window + 1 >= 0 else np.nan
    for name in methods:
        expected[name] = list(np.moveaxis(results[name], -1, axis).ravel())
    labelled = xr.DataArray(values.astype("f8"), dims=names)
    for name in {"min", "max", "mean"} & set(methods):
        theirs = getattr(labelled.rolling({names[axis]: window}, center=is_centred), name)().values.ravel()
        is_finite = np.isfinite(values.astype("f8")) | np.isnan(values.astype("f8"))
        if is_finite.all():
            scale = np.nanmax(np.abs(values.astype("f8")), initial=0) if not np.isnan(values.astype("f8")).all() else 0
            assert np.allclose(expected[name], theirs, rtol=1e-6, atol=1e-9 * scale, equal_nan=True), (name, expected[name], theirs)
    options = {"rolling": {names[axis]: window}, **({"center": True} if is_centred else {})}
    return finish(index, array, stored, {}, options, methods, expected, names, {}, False, np.dtype("f8"))


def finish(index, array, stored, coords, options, methods, expected, dims, labels, is_exact, dtype):
    results = {}
    failure = None
    for name in methods:
        values = expected[name]
        if name == "sum" and is_exact:
            limits = (0, 2**64 - 1) if dtype.kind == "u" else (-(2**63), 2**63 - 1)
            failure = failure or next(("LimitExceeded" for value in values if not limits[0] <= value <= limits[1]), None)
            results[name] = {"integers": [str(value) for value in values]}
        elif name in ("min", "max", "first", "last") and is_exact and dtype.itemsize == 8:
            results[name] = {"integers": [str(int(value)) for value in values]}
        else:
            results[name] = {"floats": encode(np.array(values, "f8"))}
    return {
        "name": f"{index}: {', '.join(methods)} of {array['dtype']} {array['shape']}",
        "array": {**array, "data": encode(stored.astype("f4") if stored.dtype == np.float16 else stored)},
        "coords": coords,
        "options": {**options, "method": methods},
        "dims": dims,
        "labels": labels,
        "results": results,
        "error": failure,
    }


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    for index in range(count):
        rng = random.Random(f"{seed} {index}")
        np_rng = np.random.default_rng([seed, index])
        print(json.dumps(make_case(index, rng, np_rng), default=lambda value: value.item()))


main()
