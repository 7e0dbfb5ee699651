"""Records where OME-Zarr 0.6's transformations take points, for tests/node/conventions/ome-coordinate-graph.test.ts.

    python3 tests/golden/transforms.py > tests/golden/transforms.json      (Debian: apt install python3-scipy)

Each case is a whole hierarchy (attributes of groups by path, arrays as nested lists), the two coordinate systems, points, and
where they go: computed from the text of the specification with NumPy and SciPy, of which the metadata is written here as well.
"""
import json
import sys

import numpy as np
from scipy.interpolate import RegularGridInterpolator

random = np.random.default_rng(6)
VERSION = "0.6rc0"


def axes(names, unit="micrometer"):
    kinds = {"t": {"type": "time", "unit": "second"}, "c": {"type": "channel", "discrete": True}}
    return [{"name": n, **kinds.get(n, {"type": "space", "unit": unit})} for n in names]


def system(name, names):
    return {"name": name, "axes": axes(names)}


def level(path, output, scale=None, translation=None):
    one = {"type": "identity"}
    if scale is not None:
        one = {"type": "scale", "scale": scale}
    if translation is not None:
        parts = [one, {"type": "translation", "translation": translation}]
        one = {"type": "sequence", "transformations": parts}
    one.update({"input": {"path": path}, "output": {"name": output}})
    return {"path": path, "coordinateTransformations": [one]}


def image(systems, datasets, transformations=()):
    one = {"name": "image", "coordinateSystems": systems, "datasets": datasets}
    if transformations:
        one["coordinateTransformations"] = list(transformations)
    return {"version": VERSION, "multiscales": [one]}


cases = []


def case(name, groups, start, end, points, expected, arrays=None, steps=None):
    points, expected = np.asarray(points, float), np.asarray(expected, float)
    cases.append({
        "name": name, "groups": groups, "arrays": arrays or {}, "from": start, "to": end,
        "points": points.tolist(),
        "expected": [[None if np.isnan(v) else v for v in row] for row in expected.tolist()],
        "steps": steps,
    })


def points_in(rank, count=7, low=-20, high=20):
    return random.uniform(low, high, (count, rank))


def one(transformation, source="yx", target="yx"):
    """An image with one transformation from `in`, of the source's axes, to `out`."""
    # Levels have the axes of `in`; a scene has systems of any number of axes.
    return {"": {"version": VERSION, "scene": {
        "coordinateSystems": [system("in", source), system("out", target)],
        "coordinateTransformations": [{**transformation, "input": {"name": "in"}, "output": {"name": "out"}}],
    }}}


def simple(name, transformation, function, source="yx", target="yx", arrays=None, back=None):
    points = points_in(len(source))
    groups = one(transformation, source, target)
    expected = np.stack([function(p) for p in points])
    case(name, groups, "in", "out", points, expected, arrays)
    if back:
        case(f"{name}, backwards", groups, "out", "in", expected, points, arrays)


A = np.array([[1, 2, 3], [4, 5, 6]], float)
A23 = np.array([[1, 0, 0], [2, 3, 4], [5, 6, 7]], float)
turn = np.deg2rad(30)
R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
R3 = np.linalg.qr(random.normal(size=(3, 3)))[0]
R3 *= np.sign(np.linalg.det(R3))
A33 = np.hstack([random.normal(size=(3, 3)), random.normal(size=(3, 1))])


def affine(matrix):
    return lambda p: matrix @ np.append(p, 1)


simple("identity", {"type": "identity"}, lambda p: p, back=True)
simple("scale", {"type": "scale", "scale": [3.12, 2]}, lambda p: p * [3.12, 2], back=True)
simple("translation", {"type": "translation", "translation": [9, -1.42]}, lambda p: p + [9, -1.42], back=True)
simple("mapAxis", {"type": "mapAxis", "mapAxis": [2, 0, 1]}, lambda p: p[[2, 0, 1]], "zyx", "zyx", back=True)
simple("affine", {"type": "affine", "affine": A.tolist()}, affine(A), back=True)
simple("affine to more axes", {"type": "affine", "affine": A23.tolist()}, affine(A23), "yx", "zyx")
simple("affine that is stored", {"type": "affine", "path": "coordinateTransformations/m"}, affine(A33), "zyx", "zyx",
       {"coordinateTransformations/m": A33.tolist()}, back=True)
simple("rotation", {"type": "rotation", "rotation": R.tolist()}, lambda p: R @ p, back=True)
simple("rotation that is stored", {"type": "rotation", "path": "r"}, lambda p: R3 @ p, "zyx", "zyx", {"r": R3.tolist()},
       back=True)
simple("projectAxis that adds", {"type": "projectAxis", "createdOutputs": [0, 1]},
       lambda p: np.array([0, 0, *p]), "yx", "czyx", back=True)
simple("projectAxis in between", {"type": "projectAxis", "createdOutputs": [1]},
       lambda p: np.array([p[0], 0, p[1]]), "yx", "zyx", back=True)
simple("projectAxis that drops", {"type": "projectAxis", "droppedInputs": [0], "createdOutputs": [0]},
       lambda p: np.array([0, p[1], p[2]]), "cyx", "zyx")
simple("sequence", {"type": "sequence", "transformations": [
    {"type": "translation", "translation": [0.1, 0.9]}, {"type": "scale", "scale": [2, 3]}]},
    lambda p: (p + [0.1, 0.9]) * [2, 3], back=True)
simple("sequence of everything linear", {"type": "sequence", "transformations": [
    {"type": "rotation", "rotation": R3.tolist()}, {"type": "translation", "translation": [5, 10, 15]},
    {"type": "affine", "affine": A33.tolist()}, {"type": "scale", "scale": [2, 3, 4]},
    {"type": "mapAxis", "mapAxis": [2, 1, 0]}]},
    lambda p: ((A33 @ np.append(R3 @ p + [5, 10, 15], 1)) * [2, 3, 4])[[2, 1, 0]], "zyx", "zyx", back=True)
simple("byDimension", {"type": "byDimension", "transformations": [
    {"transformation": {"type": "translation", "translation": [-1]}, "inputAxes": [1], "outputAxes": [1]},
    {"transformation": {"type": "scale", "scale": [2]}, "inputAxes": [0], "outputAxes": [0]}]},
    lambda p: np.array([p[0] * 2, p[1] - 1]), back=True)
simple("byDimension that permutes and drops", {"type": "byDimension", "transformations": [
    {"transformation": {"type": "translation", "translation": [0.5, 1.5]}, "inputAxes": [3, 2], "outputAxes": [1, 2]},
    {"transformation": {"type": "scale", "scale": [2]}, "inputAxes": [1], "outputAxes": [0]}]},
    lambda p: np.array([2 * p[1], p[3] + 0.5, p[2] + 1.5]), "czyx", "zyx")
simple("byDimension of a rotation and a sequence", {"type": "byDimension", "transformations": [
    {"transformation": {"type": "rotation", "rotation": R.tolist()}, "inputAxes": [2, 0], "outputAxes": [0, 1]},
    {"transformation": {"type": "sequence", "transformations": [
        {"type": "scale", "scale": [4]}, {"type": "translation", "translation": [7]}]},
     "inputAxes": [1], "outputAxes": [2]}]},
    lambda p: np.array([*(R @ p[[2, 0]]), p[1] * 4 + 7]), "zyx", "zyx", back=True)
simple("bijection of matrices", {"type": "bijection",
       "forward": {"type": "scale", "scale": [2, 4]}, "inverse": {"type": "scale", "scale": [0.5, 0.25]}},
       lambda p: p * [2, 4], back=True)


# ---- Vector fields: on a grid of positions; beside it nothing is known.

def field_groups(kind, vectors, scale, translation, axis):
    """`vectors` with the components last; stored with them at `axis`."""
    rank = vectors.ndim - 1
    names = list("zyx"[3 - rank:])
    listed = axes(names)
    listed.insert(axis, {"name": "v", "type": kind, "discrete": True})
    scale = list(scale)
    translation = list(translation)
    scale.insert(axis, 1)
    translation.insert(axis, 0)
    group = image([{"name": "physical", "axes": listed}], [level("s0", "physical", scale, translation)])
    return group, np.moveaxis(vectors, -1, axis)


def looked_up(vectors, scale, translation, points, method):
    grid = [np.arange(n) * s + t for n, s, t in zip(vectors.shape, scale, translation)]
    # Half an element beside the outermost ones the field is as at its edge.
    inside = np.all([(p >= g[0] - s / 2) & (p <= g[-1] + s / 2) for p, g, s in zip(points.T, grid, scale)], axis=0)
    clamped = np.stack([np.clip(p, g[0], g[-1]) for p, g in zip(points.T, grid)], axis=1)
    found = RegularGridInterpolator(grid, vectors, method=method)(clamped)
    found[~inside] = np.nan
    return found


for kind, rank, method, axis in [
    ("displacements", 2, "linear", 0), ("displacements", 2, "nearest", 0), ("displacements", 3, "linear", 0),
    ("displacements", 2, None, 2), ("coordinates", 2, "linear", 0), ("coordinates", 3, None, 0),
]:
    shape = (5, 4, 6)[:rank]
    components = rank if kind == "displacements" or rank == 2 else 2
    vectors = np.round(random.uniform(-3, 3, (*shape, components)), 3)
    scale, translation = [2.0, 0.5, 1.25][:rank], [-1.0, 3.0, 0.25][:rank]
    group, stored = field_groups(kind[:-1], vectors, scale, translation, axis)
    high = np.array([n * s for n, s in zip(shape, scale)])
    points = random.uniform(-0.2, 1.1, (25, rank)) * high + translation
    points[0] = np.array([2, 1, 3][:rank]) * scale + translation
    transformation = {"type": kind, "path": "fields/f"}
    if method:
        transformation["interpolation"] = method
    names = "zyx"[3 - rank:]
    groups = one(transformation, names, names if components == rank else "yx")
    groups["fields/f"] = group
    found = looked_up(vectors, scale, translation, points, method or "linear")
    case(f"{kind} of {rank} axes, {method or 'not said how'}, vectors along axis {axis}", groups, "in", "out", points,
         points + found if kind == "displacements" else found, {"fields/f/s0": stored.tolist()})

vectors = np.round(random.uniform(-1, 1, (6, 5, 2)), 3)
back = np.round(random.uniform(-1, 1, (6, 5, 2)), 3)
A22 = np.array([[0.9, 0.1, 2], [-0.2, 1.1, -3]])
inverse22 = np.linalg.inv(np.vstack([A22, [0, 0, 1]]))[:2]
forward_group, forward_stored = field_groups("displacement", vectors, [3, 3], [0, 0], 0)
back_group, back_stored = field_groups("displacement", back, [3, 3], [0, 0], 0)
registration = one({"type": "bijection",
                    "forward": {"type": "sequence", "transformations": [
                        {"type": "displacements", "path": "d/forward"}, {"type": "affine", "affine": A22.tolist()}]},
                    "inverse": {"type": "sequence", "transformations": [
                        {"type": "affine", "affine": inverse22.tolist()}, {"type": "displacements", "path": "d/back"}]}})
registration["d/forward"], registration["d/back"] = forward_group, back_group
fields = {"d/forward/s0": forward_stored.tolist(), "d/back/s0": back_stored.tolist()}
points = points_in(2, 9, 0, 12)
moved = points + looked_up(vectors, [3, 3], [0, 0], points, "linear")
case("bijection of vector fields", registration, "in", "out", points, np.stack([affine(A22)(p) for p in moved]), fields)
points = points_in(2, 9, 4, 10)
moved = np.stack([affine(inverse22)(p) for p in points])
case("bijection of vector fields, backwards", registration, "out", "in", points,
     moved + looked_up(back, [3, 3], [0, 0], moved, "linear"), fields)

column = np.array([[0, 1, 4, 9, 16.]]).T
xarray_group, xarray_stored = field_groups("coordinate", column, [1], [0], 0)
by_axis = one({"type": "byDimension", "transformations": [
    {"transformation": {"type": "coordinates", "path": "xs"}, "inputAxes": [1], "outputAxes": [0]},
    {"transformation": {"type": "scale", "scale": [10]}, "inputAxes": [0], "outputAxes": [1]}]})
by_axis["xs"] = xarray_group
case("byDimension over coordinates", by_axis, "in", "out", [[1, 2], [2, 3.5], [3, 4.2], [3, 5]],
     [[4, 10], [12.5, 20], [16, 30], [np.nan, 30]], {"xs/s0": xarray_stored.tolist()})


# ---- Ways over several transformations.

S0, S1, T1 = [1, 0.5, 0.5], [1, 1, 1], [0, 0.25, 0.25]
world = image(
    [system("physical", "cyx"), system("world", "cyx"), system("turned", "cyx")],
    [level("s0", "physical", S0), level("s1", "physical", S1, T1)],
    [{"type": "translation", "translation": [0, 20, 30], "input": {"name": "physical"}, "output": {"name": "world"}},
     {"type": "mapAxis", "mapAxis": [0, 2, 1], "input": {"name": "turned"}, "output": {"name": "physical"}}])
indices = points_in(3, 5, 0, 30)
physical = indices * S1 + T1
case("from a level to another coordinate system", {"": world}, {"path": "s1"}, "world", indices,
     physical + [0, 20, 30], steps=2)
case("from one level to another", {"": world}, {"path": "s1"}, {"path": "s0"}, indices, physical / S0, steps=2)
case("against the direction of two", {"": world}, "world", "turned", physical + [0, 20, 30], physical[:, [0, 2, 1]],
     steps=2)
case("from a coordinate system to itself", {"": world}, "world", "world", indices, indices, steps=0)


def tile(rotation, scale):
    return image([system("physical", "yx"), system("rotated", "yx")], [level("0", "physical", scale)],
                 [{"type": "rotation", "rotation": rotation.tolist(), "input": {"name": "physical"},
                   "output": {"name": "rotated"}}])


scene = {
    "": {"version": VERSION, "scene": {
        "coordinateSystems": [system("stitched", "yx")],
        "coordinateTransformations": [
            {"type": "translation", "translation": [30, 11], "input": {"path": "tiles/a", "name": "rotated"},
             "output": {"name": "stitched"}},
            {"type": "translation", "translation": [91, 41], "input": {"path": "tiles/b", "name": "rotated"},
             "output": {"name": "stitched"}},
            {"type": "translation", "translation": [0, 50], "input": {"name": "stitched", "path": None},
             "output": {"path": "full", "name": "physical"}}]}},
    "tiles/a": tile(R, [2, 2]),
    "tiles/b": tile(R.T, [2, 4]),
    "full": image([system("physical", "yx")], [level("0", "physical", [1, 1])]),
}
indices = points_in(2, 6, 0, 100)
stitched = (R @ (indices * 2).T).T + [30, 11]
case("from one image of a scene to another", scene, {"path": "tiles/a/0"}, {"path": "tiles/b/0"}, indices,
     (R @ (stitched - [91, 41]).T).T / [2, 4], steps=6)
case("through a scene to an image", scene, {"path": "tiles/a", "name": "physical"}, {"path": "full", "name": "physical"},
     indices, (R @ indices.T).T + [30, 61], steps=3)

labelled = {
    "": image([system("physical", "yx")], [level("s0", "physical", [0.5, 0.5])],
              [{"type": "scale", "scale": [2, 2], "input": {"path": "labels/cells", "name": "own"},
                "output": {"name": "physical"}}]),
    "labels": {"version": VERSION, "labels": ["cells"]},
    "labels/cells": {**image([system("own", "yx")], [level("s0", "own")]), "image-label": {}},
}
case("from a label image to its image", labelled, {"path": "labels/cells/s0"}, {"path": "s0"}, indices, indices * 4, steps=3)

json.dump(cases, sys.stdout, separators=(",", ":"))
sys.stdout.write("\n")
