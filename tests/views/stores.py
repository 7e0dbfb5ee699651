"""Writes the stores that the views show: raw chunks of Zarr v3, without any Zarr library."""
import json
import os

import numpy as np

TYPES = {"|u1": "uint8", "<u2": "uint16", "<u4": "uint32", "<i4": "int32", "<f4": "float32", "<f8": "float64"}


def write_json(folder, document):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "zarr.json"), "w") as file:
        json.dump(document, file)


def group(folder, **attributes):
    write_json(folder, {"zarr_format": 3, "node_type": "group", "attributes": attributes})


def put(folder, values, dims, chunks=None, **attributes):
    values = np.asarray(values)
    values = values.astype(values.dtype.newbyteorder("<"))
    shape = values.shape
    chunks = chunks or [max(1, length) for length in shape]
    write_json(folder, {
        "zarr_format": 3, "node_type": "array", "shape": shape, "dimension_names": dims, "attributes": attributes,
        "data_type": TYPES[values.dtype.str], "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    })
    for at in np.ndindex(*[-(-length // chunk) for length, chunk in zip(shape, chunks)]):
        part = values[tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, chunks))]
        whole = np.zeros(chunks, values.dtype)
        whole[tuple(slice(0, length) for length in part.shape)] = part
        path = os.path.join(folder, "c", *map(str, at))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        whole.tofile(path)


def noise(shape, seed, top=255.0):
    """Float32 numbers whose neighbours differ, so that every border shows."""
    return (np.random.default_rng(seed).random(shape) * top).astype("<f4")


DEGREES_NORTH = {"units": "degrees_north", "standard_name": "latitude"}
DEGREES_EAST = {"units": "degrees_east", "standard_name": "longitude"}


def regular(folder, latitudes, longitudes, seed, is_turned=False):
    group(folder)
    values = noise((len(latitudes), len(longitudes)), seed)
    dims = ["lon", "lat"] if is_turned else ["lat", "lon"]
    put(f"{folder}/t", values.T if is_turned else values, dims, coordinates="lat lon")
    put(f"{folder}/lat", np.array(latitudes, "<f8"), ["lat"], **DEGREES_NORTH)
    put(f"{folder}/lon", np.array(longitudes, "<f8"), ["lon"], **DEGREES_EAST)
    return values


def projected(folder, x, y, code, seed):
    group(folder, **{"proj:code": code})
    values = noise((len(y), len(x)), seed)
    put(f"{folder}/t", values, ["y", "x"], grid_mapping="crs")
    put(f"{folder}/y", np.array(y, "<f8"), ["y"], units="m", standard_name="projection_y_coordinate")
    put(f"{folder}/x", np.array(x, "<f8"), ["x"], units="m", standard_name="projection_x_coordinate")
    put(f"{folder}/crs", np.zeros((), "<i4"), [], **{"proj:code": code, "crs": code})
    return values


def curvilinear(folder, longitudes, latitudes, seed):
    group(folder)
    values = noise(longitudes.shape, seed)
    put(f"{folder}/t", values, ["y", "x"], coordinates="lon lat")
    put(f"{folder}/lon", longitudes.astype("<f8"), ["y", "x"], **DEGREES_EAST)
    put(f"{folder}/lat", latitudes.astype("<f8"), ["y", "x"], **DEGREES_NORTH)
    return values


def healpix(folder, nside, order, seed):
    group(folder)
    values = noise(12 * nside**2, seed)
    put(f"{folder}/t", values, ["cell"], [nside**2], grid_mapping="crs")
    put(f"{folder}/crs", np.zeros((), "<i4"), [], grid_mapping_name="healpix", healpix_nside=nside, healpix_order=order)
    return values


def gaussian(folder, rows, seed):
    """An octahedral grid: 20 points beside the poles, 4 more in each row."""
    latitudes = 90 - (np.arange(rows) + 0.5) * 180 / rows
    counts = 20 + 4 * np.minimum(np.arange(rows), rows - 1 - np.arange(rows))
    group(folder)
    values = noise(counts.sum(), seed)
    longitudes = np.concatenate([np.arange(n) * 360 / n for n in counts])
    put(f"{folder}/t", values, ["values"], coordinates="lat lon")
    put(f"{folder}/lat", np.repeat(latitudes, counts), ["values"], **DEGREES_NORTH)
    put(f"{folder}/lon", longitudes, ["values"], **DEGREES_EAST)
    return values, latitudes, counts


def icosphere(level):
    """Nodes as unit vectors, and triangles: 20 · 4^level."""
    g = (1 + 5**0.5) / 2
    nodes = np.array([[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g],
                      [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]], float)
    nodes = nodes @ np.array([[1, 0, 0], [0, 0.8, 0.6], [0, -0.6, 0.8]])  # so that no node is at a pole
    nodes /= np.linalg.norm(nodes, axis=1, keepdims=True)
    faces = np.array([0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8,
                      3, 9, 4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1]).reshape(-1, 3)
    for _ in range(level):
        a, b, c = faces.T
        pairs = np.sort(np.concatenate([np.stack(p, 1) for p in ((a, b), (b, c), (c, a))]), 1)
        known, at = np.unique(pairs[:, 0] * len(nodes) + pairs[:, 1], return_inverse=True)
        middles = nodes[known // len(nodes)] + nodes[known % len(nodes)]
        ab, bc, ca = (at + len(nodes)).reshape(3, -1)
        nodes = np.concatenate([nodes, middles / np.linalg.norm(middles, axis=1, keepdims=True)])
        faces = np.stack([np.stack(f, 1) for f in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))], 1).reshape(-1, 3)
    return nodes, faces


def to_degrees(nodes):
    return np.degrees(np.arctan2(nodes[:, 1], nodes[:, 0])), np.degrees(np.arcsin(np.clip(nodes[:, 2], -1, 1)))


def ugrid(folder, level, seed):
    nodes, faces = icosphere(level)
    longitudes, latitudes = to_degrees(nodes)
    group(folder)
    values = noise(len(faces), seed)
    put(f"{folder}/t", values, ["face"], mesh="mesh", location="face")
    put(f"{folder}/mesh", np.zeros((), "<i4"), [], cf_role="mesh_topology", topology_dimension=2,
        node_coordinates="node_lon node_lat", face_node_connectivity="faces")
    put(f"{folder}/node_lon", longitudes, ["node"], **DEGREES_EAST)
    put(f"{folder}/node_lat", latitudes, ["node"], **DEGREES_NORTH)
    put(f"{folder}/faces", (faces + 1).astype("<i4"), ["face", "corner"], start_index=1)
    return values, nodes, faces


def icon(folder, level, seed):
    nodes, faces = icosphere(level)
    longitudes, latitudes = (np.radians(one) for one in to_degrees(nodes))
    centres = nodes[faces].sum(1)
    clon, clat = (np.radians(one) for one in to_degrees(centres / np.linalg.norm(centres, axis=1, keepdims=True)))
    group(folder)
    values = noise(len(faces), seed)
    put(f"{folder}/t", values, ["cell"], coordinates="clat clon", CDI_grid_type="unstructured")
    put(f"{folder}/clon", clon, ["cell"], units="radian", bounds="clon_vertices", standard_name="longitude")
    put(f"{folder}/clat", clat, ["cell"], units="radian", bounds="clat_vertices", standard_name="latitude")
    put(f"{folder}/clon_vertices", longitudes[faces], ["cell", "vertices"])
    put(f"{folder}/clat_vertices", latitudes[faces], ["cell", "vertices"])
    return values, nodes, faces
