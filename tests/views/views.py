"""The views of test:compat -- views: their stores and addresses, and the colours and lines that they should have.

python3 views.py make FOLDER writes stores and FOLDER/views.json; python3 views.py compare FOLDER reads the pictures
FOLDER/NAME.png, FOLDER/NAME.lines.png and facts FOLDER/NAME.json, and prints a line of JSON for each view.
"""
import json
import os
import sys
import warnings

import cartopy.crs as ccrs
import healpy
import numpy as np
import pyproj
from matplotlib import colormaps, path as paths
from matplotlib.image import imread
from scipy.spatial import cKDTree

import stores

warnings.filterwarnings("ignore")
RADIUS = 180 / np.pi  # lengths on maps are degrees of arc
GLOBE = ccrs.Globe(ellipse=None, semimajor_axis=RADIUS, semiminor_axis=RADIUS)

# ---- Maps


class Map:
    """Positions in degrees to x and y, in degrees of arc; y up."""

    def __init__(self, name, meridian=0, parallel=0):
        self.name = name
        make = {
            "plate-carree": lambda: ccrs.PlateCarree(meridian, globe=GLOBE),
            "mercator": lambda: ccrs.Mercator(meridian, globe=GLOBE),
            "equal-earth": lambda: ccrs.EqualEarth(meridian, globe=GLOBE),
            "globe": lambda: ccrs.Orthographic(meridian, parallel, globe=GLOBE),
            "north-pole": lambda: ccrs.NorthPolarStereo(meridian, true_scale_latitude=90, globe=GLOBE),
            "south-pole": lambda: ccrs.SouthPolarStereo(meridian, true_scale_latitude=-90, globe=GLOBE),
        }[name]()
        self.proj = pyproj.Proj(make.proj4_init)
        self.meridian = meridian

    def forward(self, longitudes, latitudes):
        x, y = self.proj(np.asarray(longitudes, float), np.asarray(latitudes, float))
        x, y = np.where(np.isfinite(x), x, np.nan), np.where(np.isfinite(y), y, np.nan)
        if self.name == "mercator":
            x = np.where(np.abs(y) <= 180, x, np.nan)
        if self.name.endswith("pole"):
            side = 1 if self.name == "north-pole" else -1
            x = np.where(side * np.asarray(latitudes) >= -1e-9, x, np.nan)
        return x, y

    def inverse(self, x, y):
        longitudes, latitudes = self.proj(np.asarray(x, float), np.asarray(y, float), inverse=True)
        bad = ~(np.isfinite(longitudes) & (np.abs(latitudes) <= 90))
        if self.name.endswith("pole"):
            bad |= np.hypot(x, y) > 2 * RADIUS
        if self.name == "mercator":
            bad |= np.abs(y) > 180
        if self.name == "globe":
            bad |= np.hypot(x, y) > RADIUS
        if self.name == "equal-earth":  # the inverse beyond the edge is not the inverse of a place
            back = self.proj(longitudes, latitudes)
            bad |= np.hypot(back[0] - x, back[1] - y) > 1e-6
        return np.where(bad, np.nan, longitudes), np.where(bad, np.nan, latitudes)

    @property
    def bounds(self):
        if self.name in ("plate-carree", "mercator"):
            return -180, 180, (-90 if self.name == "plate-carree" else -180), (90 if self.name == "plate-carree" else 180)
        if self.name == "equal-earth":
            east = self.proj(self.meridian + 180 - 1e-9, 0)[0]
            north = self.proj(self.meridian, 90)[1]
            return -east, east, -north, north
        r = RADIUS * (1 if self.name == "globe" else 2)
        return -r, r, -r, r


# ---- Cells: functions of longitudes and latitudes that return numbers of cells, −1 for none


def edges_of(centres):
    between = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - between[0]], between, [2 * centres[-1] - between[-1]]])


def index_in(edges, values):
    """Index of the interval of ascending or descending edges; −1 outside."""
    sign = 1 if edges[-1] > edges[0] else -1
    at = np.searchsorted(sign * edges, sign * values, "right") - 1
    return np.where((at >= 0) & (at < len(edges) - 1) & np.isfinite(values), at, -1)


def grid_cells(y, x, columns):
    def find(a, b):
        row, column = index_in(y, b), index_in(x, a)
        return np.where((row >= 0) & (column >= 0), row * columns + column, -1)

    return find


def regular_cells(latitudes, longitudes):
    y, x = np.clip(edges_of(latitudes), -90, 90), edges_of(longitudes)
    inside = grid_cells(y, x, len(longitudes))
    west = min(x[0], x[-1])
    return lambda lon, lat: inside(west + np.mod(lon - west, 360), lat)


def projected_cells(y, x, code):
    system = pyproj.Transformer.from_crs("EPSG:4326", code, always_xy=True)
    inside = grid_cells(edges_of(y), edges_of(x), len(x))
    return lambda lon, lat: inside(*system.transform(np.nan_to_num(lon, nan=1e30), np.nan_to_num(lat, nan=1e30)))


def corners_of(centres):
    """The means of four centres; those beyond the edge are extrapolated."""
    padded = np.pad(centres, 1, "reflect", reflect_type="odd")
    return (padded[1:, 1:] + padded[:-1, 1:] + padded[1:, :-1] + padded[:-1, :-1]) / 4


def quad_cells(longitudes, latitudes):
    lon, lat = corners_of(longitudes), corners_of(latitudes)

    def find(a, b):
        cells = np.full(a.shape, -1)
        points = np.stack([a, b], -1)
        for i, j in np.ndindex(*longitudes.shape):
            quad = np.array([(lon[p], lat[p]) for p in ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))])
            near = np.all((points >= quad.min(0)) & (points <= quad.max(0)), -1)
            cells[near] = np.where(paths.Path(quad).contains_points(points[near]), i * longitudes.shape[1] + j, cells[near])
        return cells

    return find


def healpix_cells(nside, is_nested):
    def find(lon, lat):
        bad = ~np.isfinite(lon + lat)
        return np.where(bad, -1, healpy.ang2pix(nside, np.where(bad, 0, lon), np.where(bad, 0, lat), is_nested, True))

    return find


def reduced_cells(latitudes, counts):
    edges = np.concatenate([[90], (latitudes[1:] + latitudes[:-1]) / 2, [-90]])
    starts = np.concatenate([[0], np.cumsum(counts)])

    def find(lon, lat):
        row = np.clip(index_in(edges, lat), 0, len(counts) - 1)
        column = np.mod(np.floor(np.nan_to_num(lon) / 360 * counts[row] + 0.5), counts[row]).astype(int)
        return np.where(np.isfinite(lon + lat), starts[row] + column, -1)

    return find


def triangle_cells(nodes, faces):
    """Of the triangles with the nearest centres, the one on whose side of all three planes a point lies."""
    corners = nodes[faces]
    centres = corners.mean(1)
    tree = cKDTree(centres / np.linalg.norm(centres, axis=1, keepdims=True))
    normals = np.stack([np.cross(corners[:, i], corners[:, (i + 1) % 3]) for i in range(3)], 1)
    normals *= np.sign(np.einsum("fij,fj->fi", normals, centres))[..., None]

    def find(lon, lat):
        cells = np.full(lon.shape, -1)
        good = np.flatnonzero(np.isfinite(lon + lat))
        l, p = np.radians(lon[good]), np.radians(lat[good])
        points = np.stack([np.cos(p) * np.cos(l), np.cos(p) * np.sin(l), np.sin(p)], 1)
        near = tree.query(points, 6)[1]
        inside = np.min([np.einsum("pkj,pj->pk", normals[near, i], points) for i in range(3)], 0)
        cells[good] = near[np.arange(len(good)), np.argmax(inside, 1)]
        return cells

    return find


# ---- Colours


def table(name, is_reversed=False, steps=0):
    """256 colours from 0 to 255."""
    one = colormaps[name].resampled(steps) if steps else colormaps[name]
    colours = one(np.arange(256) / 256)[:, :3] * 255
    return colours[::-1] if is_reversed else colours


def shades(values, low, high, colours=None, bend=lambda value: value):
    """Colours of values; NaN for NaN."""
    colours = table("viridis") if colours is None else colours
    with np.errstate(all="ignore"):
        part = (bend(np.asarray(values, float)) - bend(low)) / (bend(high) - bend(low)) * 256
    part = np.where(np.isneginf(part), 0, part)
    rgb = colours[np.clip(np.floor(np.nan_to_num(part)), 0, 255).astype(int)].astype(float)
    rgb[np.isnan(part)] = np.nan
    return rgb


# ---- Views: name → (address, colours by cell, function from pixels to cells)

VIEWS = {}


def view(name, query, colours, find, **more):
    VIEWS[name] = {"query": query, "colours": colours, "find": find, **more}


def on_map(name, query, colours, cells, projection, meridian=0, parallel=0, bounds=None, **more):
    """@param bounds corners of all cells, for maps of a region"""
    map_ = Map(projection, meridian, parallel)

    def to_map(facts):
        west, east, south, north = map_.bounds
        if bounds is not None:
            x, y = map_.forward(*bounds)
            west, east, south, north = np.nanmin(x), np.nanmax(x), np.nanmin(y), np.nanmax(y)
        return west, east, north, (east - west) / facts["world"][1]

    def find(facts, row, column):
        west, east, north, unit = to_map(facts)
        x = west + column * unit
        return cells(*map_.inverse(np.where((x >= west) & (x <= east), x, np.nan), north - row * unit))

    def place(facts, longitudes, latitudes):
        west, _, north, unit = to_map(facts)
        x, y = map_.forward(longitudes, latitudes)
        if map_.name == "globe":  # not beside the line around it
            x = np.where(np.hypot(x, y) > 0.95 * RADIUS, np.nan, x)
        return (north - y) / unit, (x - west) / unit

    query = f"{query}&projection={projection}&{more.pop('also', '')}"
    view(name, query, colours, find, place=place, **more)


def elements(rows, columns, is_turned=False):
    """Cells of a plane in stored order."""
    find = grid_cells(np.arange(rows + 1.0), np.arange(columns + 1.0), columns)
    return lambda facts, row, column: find(column, row)


PROJECTIONS = ["plate-carree", "mercator", "equal-earth", "globe", "north-pole", "south-pole"]


def images(folder):
    random = np.random.default_rng(7)
    image = np.round(np.linspace(0, 255, 64 * 96).reshape(64, 96)).astype("u1") ^ random.integers(0, 32, (64, 96), "u1")
    stores.put(f"{folder}/bytes", image, ["y", "x"], [24, 40])
    plain = elements(64, 96)
    flat = image.ravel()
    base = "source=/data/bytes&range=0:255&map=viridis"
    view("bytes", base, shades(flat, 0, 255), plain)
    view("gray, part of the range", "source=/data/bytes&range=40:180&map=gray", shades(flat, 40, 180, table("gray")), plain)
    view("zoomed in", f"{base}&at=20.3,31.7,17", shades(flat, 0, 255), plain)
    view("7 steps", f"{base}&steps=7", shades(flat, 0, 255, table("viridis", steps=7)), plain)
    view("gamma", "source=/data/bytes&range=0:255&gamma=0.5&map=magma", shades(flat, 0, 255, table("magma"), np.sqrt), plain)
    view("reversed", "source=/data/bytes&range=0:255&reversed=yes&map=RdBu", shades(flat, 0, 255, table("RdBu", True)), plain)
    turned = shades(image.T.ravel(), 0, 255)
    view("transposed axes", f"{base}&axes=1,0", turned, elements(96, 64))
    wide = (10 ** (random.random((40, 60)) * 4)).astype("<f4")
    wide[5:9, 7:15] = np.nan
    wide[20, 20:30] = -3
    stores.put(f"{folder}/wide", wide, ["y", "x"])
    colours = shades(wide.ravel(), 1, 10000, bend=lambda value: np.log(np.maximum(value, 0)))
    view("logarithmic, with NaN", "source=/data/wide&range=1:10000&scale=log", colours, elements(40, 60))
    signed = (random.normal(0, 1, (40, 60)) * 10 ** (random.random((40, 60)) * 3)).astype("<f4")
    stores.put(f"{folder}/signed", signed, ["y", "x"])
    symmetric = lambda value: np.sign(value) * np.log1p(np.abs(value) / 1)
    colours = shades(signed.ravel(), -1000, 1000, table("viridis"), symmetric)
    view("symmetric logarithmic", "source=/data/signed&range=-1000:1000&scale=symlog&map=viridis", colours, elements(40, 60))
    deep = random.integers(0, 65536, (5, 48, 64)).astype("<u2")
    stores.put(f"{folder}/deep", deep, ["z", "y", "x"], [1, 48, 64])
    view("a slice of a stack", "source=/data/deep&range=0:65535&select=3,:,:", shades(deep[3].ravel(), 0, 65535), elements(48, 64))
    view("across a stack", "source=/data/deep&range=0:65535&select=:,7,:&axes=0,2", shades(deep[:, 7].ravel(), 0, 65535), elements(5, 64))
    rgb = random.integers(0, 256, (48, 64, 3), "u1")
    stores.put(f"{folder}/rgb", rgb, ["y", "x", "c"])
    view("red, green, blue", "source=/data/rgb", rgb.reshape(-1, 3).astype(float), elements(48, 64))
    composite(folder, random)
    labelled(folder, random)


def ome(folder, arrays, axes, **more):
    datasets = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1] * len(axes)}]}]
    kinds = {"c": "channel"}
    stores.group(folder, ome={"version": "0.5", **more, "multiscales": [
        {"axes": [{"name": name, "type": kinds.get(name, "space")} for name in axes], "datasets": datasets}]})
    stores.put(f"{folder}/0", arrays, axes)


def composite(folder, random):
    channels = random.integers(0, 4096, (3, 48, 64)).astype("<u2")
    colours, windows = ["ff0000", "00c8ff", "40ff20"], [(0, 4095), (500, 3000), (100, 4000)]
    ome(f"{folder}/composite", channels, ["c", "y", "x"], omero={"channels": [
        {"label": f"c{i}", "color": colour, "active": True, "window": {"min": 0, "max": 4095, "start": low, "end": high}}
        for i, (colour, (low, high)) in enumerate(zip(colours, windows))]})
    shade = lambda i: shades(channels[i].ravel(), *windows[i], np.round(
        np.arange(256)[:, None] / 255 * np.array([int(colours[i][k:k + 2], 16) for k in (0, 2, 4)])))
    all_ = np.minimum(255, sum(shade(i) for i in range(3)))
    view("composite of 3 channels", "source=/data/composite", all_, elements(48, 64))
    view("one channel hidden", "source=/data/composite&channels=0:ff0000:0..4095,-1:00c8ff:500..3000,2:40ff20:100..4000",
         np.minimum(255, shade(0) + shade(2)), elements(48, 64))


def labelled(folder, random):
    image = random.integers(0, 256, (48, 64), "u1")
    labels = np.kron(random.integers(0, 4, (12, 16)), np.ones((4, 4), int)).astype("<u2")
    chosen = [[0, 0, 0, 0], [255, 0, 0, 255], [0, 200, 255, 255], [250, 240, 0, 255]]
    ome(f"{folder}/labelled", image, ["y", "x"])
    stores.group(f"{folder}/labelled/labels", ome={"version": "0.5", "labels": ["cells"]})
    ome(f"{folder}/labelled/labels/cells", labels, ["y", "x"], **{"image-label": {
        "colors": [{"label-value": i, "rgba": c} for i, c in enumerate(chosen)], "source": {"image": "../../"}}})
    gray = shades(image.ravel(), 0, 255, table("gray"))
    own = np.array(chosen, float)[labels.ravel(), :3]
    over = np.where(labels.ravel()[:, None] == 0, gray, gray + 0.6 * (own - gray))
    view("labels over an image", "source=/data/labelled&labels=cells&opacity=0.6&range=0:255&map=gray", over, elements(48, 64), tolerance=2)  # canvases round opacities to 8 bits


def climate(folder):
    latitudes, longitudes = np.arange(-87.0, 90, 6), np.arange(3.0, 360, 6)
    values = stores.regular(f"{folder}/regular", latitudes, longitudes, 1)
    base = "range=0:255&map=viridis"
    colours, cells = shades(values.ravel(), 0, 255), regular_cells(latitudes, longitudes)
    for name in PROJECTIONS:
        parallel = 30 if name == "globe" else 0
        on_map(f"regular, {name}", f"source=/data/regular&path=t&{base}", colours, cells, name, 0 if name.endswith("pole") else 20,
               parallel, also=f"meridian={0 if name.endswith('pole') else 20}&parallel={parallel}", lines=True)
    view("regular, in its own degrees", f"source=/data/regular&path=t&{base}&meridian=180", colours, lambda facts, row, column:
         cells(np.mod(column, 60) * 6, row * 6 - 90), place=lambda facts, lon, lat: ((lat + 90) / 6, lon / 6), is_periodic=True, lines=True)
    values = stores.regular(f"{folder}/turned", latitudes, longitudes, 2, True)
    on_map("longitudes down, equal-earth", f"source=/data/turned&path=t&{base}&axes=1,0", shades(values.ravel(), 0, 255), cells,
           "equal-earth", 180)
    uneven = np.degrees(np.arcsin(np.linspace(0.97, -0.97, 24)))
    values = stores.regular(f"{folder}/uneven", uneven, np.arange(-178.0, 180, 4), 3)
    on_map("uneven latitudes, mercator", f"source=/data/uneven&path=t&{base}", shades(values.ravel(), 0, 255),
           regular_cells(uneven, np.arange(-178.0, 180, 4)), "mercator", 0)
    edges = edges_of(uneven)
    unit = (edges[-1] - edges[0]) / 24
    in_degrees = regular_cells(uneven, np.arange(-178.0, 180, 4))
    view("uneven latitudes, in their own degrees", f"source=/data/uneven&path=t&{base}", shades(values.ravel(), 0, 255),
         lambda facts, row, column: in_degrees(column * 4 - 180, edges[0] + row * unit))
    regions(folder, base)


def regions(folder, base):
    y, x = np.arange(-2950e3, 1000e3, 100e3)[::-1], np.arange(-1950e3, 2000e3, 100e3)
    values = stores.projected(f"{folder}/arctic", x, y, "EPSG:3413", 4)
    colours, cells = shades(values.ravel(), 0, 255), projected_cells(y, x, "EPSG:3413")
    ring = [one.ravel() for one in np.meshgrid(edges_of(x), edges_of(y))]
    to_degrees = pyproj.Transformer.from_crs("EPSG:3413", "EPSG:4326", always_xy=True)
    view("EPSG:3413, in its own metres", f"source=/data/arctic&path=t&{base}", colours, elements(len(y), len(x)), lines=True,
         place=lambda facts, lon, lat, y=y, x=x: arctic_place(x, y, lon, lat))
    on_map("EPSG:3413, globe", f"source=/data/arctic&path=t&{base}", colours, cells, "globe", -45, 75, also="meridian=-45&parallel=75")
    on_map("EPSG:3413, north-pole", f"source=/data/arctic&path=t&{base}", colours, cells, "north-pole", 0,
           bounds=to_degrees.transform(*ring), lines=True)
    y, x = np.arange(1525e3, 4500e3, 50e3)[:48][::-1], np.arange(2525e3, 5000e3, 50e3)[:48]
    values = stores.projected(f"{folder}/europe", x, y, "EPSG:3035", 5)
    colours, cells = shades(values.ravel(), 0, 255), projected_cells(y, x, "EPSG:3035")
    ring = [one.ravel() for one in np.meshgrid(edges_of(x), edges_of(y))]
    bounds = pyproj.Transformer.from_crs("EPSG:3035", "EPSG:4326", always_xy=True).transform(*ring)
    on_map("EPSG:3035, mercator", f"source=/data/europe&path=t&{base}&meridian=10", colours, cells, "mercator", 10, bounds=bounds)
    rows, columns = np.meshgrid(np.arange(30.0), np.arange(40.0), indexing="ij")
    lon = -20 + columns * 1.2 + rows * 0.5
    lat = 60 - rows * 1.1 + columns * 0.35
    values = stores.curvilinear(f"{folder}/curvilinear", lon, lat, 6)
    colours, cells = shades(values.ravel(), 0, 255), quad_cells(lon, lat)
    corners = [corners_of(lon).ravel(), corners_of(lat).ravel()]
    on_map("curvilinear, mercator", f"source=/data/curvilinear&path=t&{base}&meridian=0", colours, cells, "mercator", 0, bounds=corners)
    on_map("curvilinear, globe", f"source=/data/curvilinear&path=t&{base}", colours, cells, "globe", 10, 40, also="meridian=10&parallel=40", lines=True)
    sheared(folder, base)
    west, south = corners[0].min(), corners[1].min()
    view("curvilinear, in its own degrees", f"source=/data/curvilinear&path=t&{base}", colours, lambda facts, row, column: cells(
        west + column * (corners[0].max() - west) / facts["world"][1], south + row * (corners[0].max() - west) / facts["world"][1]))


def sheared(folder, base):
    """A grid in UTM that is turned and sheared by its transformation."""
    a, b, c, d, e, f = transform = [40e3, 14e3, 200e3, -9e3, -38e3, 5800e3]
    i, j = np.meshgrid(np.arange(36) + 0.5, np.arange(24) + 0.5)
    to_degrees = pyproj.Transformer.from_crs("EPSG:32633", "EPSG:4326", always_xy=True)
    lon, lat = to_degrees.transform(a * i + b * j + c, d * i + e * j + f)
    stores.group(f"{folder}/sheared")
    values = stores.noise((24, 36), 11)
    stores.put(f"{folder}/sheared/t", values, ["y", "x"], **{"spatial:transform": transform, "proj:code": "EPSG:32633"})
    bounds = [corners_of(lon).ravel(), corners_of(lat).ravel()]
    on_map("a sheared transformation, mercator", f"source=/data/sheared&path=t&{base}&meridian=15", shades(values.ravel(), 0, 255),
           quad_cells(lon, lat), "mercator", 15, bounds=bounds)


def arctic_place(x, y, lon, lat):
    at = pyproj.Transformer.from_crs("EPSG:4326", "EPSG:3413", always_xy=True).transform(lon, lat)
    return (at[1] - y[0]) / (y[1] - y[0]) + 0.5, (at[0] - x[0]) / (x[1] - x[0]) + 0.5


def cells_of_one_dimension(folder):
    base = "path=t&range=0:255&map=viridis"
    for order, is_nested, maps in (("nested", True, ["plate-carree", "globe", "north-pole"]), ("ring", False, ["mercator", "equal-earth"])):
        values = stores.healpix(f"{folder}/healpix-{order}", 16, order, 7)
        for name in maps:
            parallel = 50 if name == "globe" else 0
            on_map(f"HEALPix {order}, {name}", f"source=/data/healpix-{order}&{base}", shades(values, 0, 255), healpix_cells(16, is_nested),
                   name, 0, parallel, also=f"parallel={parallel}&meridian=0", lines=name == "globe")
    values, latitudes, counts = stores.gaussian(f"{folder}/gaussian", 32, 8)
    for name in ("plate-carree", "equal-earth", "south-pole"):
        on_map(f"reduced Gaussian, {name}", f"source=/data/gaussian&{base}", shades(values, 0, 255), reduced_cells(latitudes, counts), name)
    for kind, make, maps in (("UGRID", stores.ugrid, ["plate-carree", "globe", "mercator"]), ("ICON", stores.icon, ["equal-earth", "north-pole", "data"])):
        values, nodes, faces = make(f"{folder}/{kind}", 3, 9)
        for name in maps:
            own = "plate-carree" if name == "data" else name
            on_map(f"{kind}, {name}", f"source=/data/{kind}&{base}", shades(values, 0, 255), triangle_cells(nodes, faces), own, 0, 0,
                   also=f"parallel=0&meridian=0&projection={name}")


# ---- Comparison

AROUND = [(0, 0)] + [(0.5 * np.cos(a), 0.5 * np.sin(a)) for a in np.arange(24) * np.pi / 12]


def compare_colours(one, facts, picture):
    """The difference of each pixel from the nearest of the colours within half a pixel."""
    height, width = picture.shape[:2]
    top, bottom, left, right = facts["view"]
    y, x = (one.ravel() for one in np.mgrid[0:height, 0:width])
    found = picture.reshape(-1, 3).astype(float)
    without = [np.array(facts[name], float) for name in ("paper", "ground", "chequer", "chequer2")]
    difference, exact = np.full(len(y), 256.0), None
    left_over = np.arange(len(y))
    count = 0
    for down, across in AROUND:
        row = top + (y[left_over] + 0.5 + down) / height * (bottom - top)
        column = left + (x[left_over] + 0.5 + across) / width * (right - left)
        cells = one["find"](facts, row, column)
        wanted = np.where(cells[:, None] >= 0, one["colours"][np.maximum(cells, 0)], np.nan)
        own = np.abs(found[left_over] - wanted).max(1)
        empty = np.min([np.abs(found[left_over] - colour).max(1) for colour in without], 0)
        difference[left_over] = np.minimum(difference[left_over], np.where(np.isnan(own), empty, own))
        if exact is None:
            exact, count = np.mean(difference <= 1), np.sum(cells >= 0)
        left_over = np.flatnonzero(difference > one.get("tolerance", 1))
    wrong = [{"x": int(x[i]), "y": int(y[i]), "found": found[i].tolist()} for i in left_over[:3]]
    return {"pixels": int(count), "exact": float(exact), "wrong": len(left_over), "most": float(difference.max()), "first": wrong}


def segments_of(one, facts, lines):
    """Segments of lines of degrees in pixels of the picture, without those across the edge of the map or the view."""
    top, bottom, left, right = facts["view"]
    width, height = facts["size"]
    found = []
    period = facts["world"][1] if one.get("is_periodic") else 0
    for line in lines:
        row, column = one["place"](facts, *np.array(line, float).T)
        if not period:  # lines end at the edge of the data
            is_on = (row >= 0) & (row <= facts["world"][0]) & (column >= 0) & (column <= facts["world"][1])
            row = np.where(is_on, row, np.nan)
        for turn in (-1, 0, 1) if period else (0,):
            at = np.stack([(column + turn * period - left) / (right - left) * width, (row - top) / (bottom - top) * height], 1)
            pair = np.stack([at[:-1], at[1:]], 1)
            length = np.linalg.norm(pair[:, 1] - pair[:, 0], axis=1)
            middle = pair.mean(1)
            inside = np.all((middle > 6) & (middle < [width - 6, height - 6]), 1)
            found.append(pair[np.isfinite(length) & (length < width / 8) & (length > 1e-6) & inside])
    return np.concatenate(found)


def compare_lines(segments, opacity):
    """Distance of drawn lines from where they should be, across the middles of segments with no other line near."""
    middles = segments.mean(1)
    ways = segments[:, 1] - segments[:, 0]
    normals = np.stack([-ways[:, 1], ways[:, 0]], 1) / np.linalg.norm(ways, axis=1, keepdims=True)
    offsets = np.arange(-9, 9.01, 0.125)
    at = middles[:, None] + offsets[None, :, None] * normals[:, None] - 0.5  # from edges to centres of pixels
    low = np.floor(at).astype(int)
    part = at - low
    height, width = opacity.shape
    value = np.zeros(at.shape[:2])
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        weight = np.abs(1 - dx - part[..., 0]) * np.abs(1 - dy - part[..., 1])
        value += weight * opacity[np.clip(low[..., 1] + dy, 0, height - 1), np.clip(low[..., 0] + dx, 0, width - 1)]
    alone = value[:, np.abs(offsets) > 3.2].max(1) < 0.02
    # Bends and other lines nearby pull the mean.
    for part in np.array_split(np.arange(len(middles)), max(1, len(middles) // 500)):
        away = middles[None] - middles[part, None]
        beside = np.abs((away * normals[part, None]).sum(-1)) > 1.2
        alone[part] &= ~((np.hypot(*away.transpose(2, 0, 1)) < 6) & beside).any(1)
    value, offsets = value[:, np.abs(offsets) < 4], offsets[np.abs(offsets) < 4]
    total = value.sum(1)
    away = np.abs((value * offsets).sum(1) / np.maximum(total, 1e-9))[alone & (total > 1)]
    return {
        "segments": len(away), "missing": int((alone & (total <= 1)).sum()),
        "median": float(np.median(away)) if len(away) else None,
        "99%": float(np.quantile(away, 0.99)) if len(away) else None,
    }


def pixels_of(file):
    return np.round(imread(file) * 255).astype(int)


def graticule():
    """Parts of meridians and of the equator between crossings with other lines of round degrees."""
    parts = [np.arange(start + 4, start + 12) for start in range(-180, 180, 15)]
    return [np.stack([np.full(8, meridian), part], 1) for meridian in range(-180, 180, 90) for part in parts if abs(part[0]) < 75] + [
        np.stack([part, np.zeros(8)], 1) for part in parts]


def compare(folder, wanted):
    with open(f"{folder}/coasts.json") as file:
        coasts = [np.array(line).reshape(-1, 2) for line in json.load(file)]
    for name in wanted:
        one, file = VIEWS[name], f"{folder}/{name.replace(':', ' ')}"
        with open(f"{file}.json") as text:
            facts = json.load(text)
        result = {"name": name, "colours": compare_colours(one, facts, pixels_of(f"{file}.png")[..., :3])}
        for kind, lines in (("coasts", coasts), ("graticule", graticule())) if one.get("lines") else ():
            opacity = imread(f"{file}.{kind}.png")[..., 3]
            result[kind] = compare_lines(segments_of(one, facts, lines), opacity)
        print(json.dumps(result), flush=True)


def main():
    command, folder, *wanted = sys.argv[1:]
    data = f"{folder}/data"
    os.makedirs(data, exist_ok=True)
    for make in (images, climate, cells_of_one_dimension):
        make(data)
    if command == "make":
        with open(f"{folder}/views.json", "w") as file:
            json.dump([{"name": name, "query": one["query"], "hasLines": bool(one.get("lines"))} for name, one in VIEWS.items()], file)
    else:
        compare(folder, wanted or VIEWS)


main()
