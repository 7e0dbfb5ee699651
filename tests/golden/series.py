"""Records series of xarray at places: sel(method="nearest") and interp. Writes series.json.

Run: python3 tests/golden/series.py
"""

import json
from pathlib import Path

import numpy as np
import xarray as xr

rng = np.random.default_rng(41)
lat = np.linspace(82.5, -82.5, 12)
lon = np.arange(0, 360, 15.0)
time = np.arange(5)
data = np.round(rng.normal(280, 10, (5, 12, 24)), 3)
data[rng.random(data.shape) < 0.05] = np.nan
array = xr.DataArray(data, {"time": time, "lat": lat, "lon": lon}, ("time", "lat", "lon"))

places = {
    "lat": np.round(rng.uniform(-82.5, 82.5, 20), 2),
    "lon": np.round(rng.uniform(0, 345, 20), 2),
}
at = {name: xr.DataArray(values, dims="place") for name, values in places.items()}


def listed(values):
    return [None if np.isnan(value) else float(value) for value in np.ravel(values)]


areas = [[0, -45, 90, 45], [100, 0, 350, 82.5]]
sines = np.sin(np.radians(np.clip(np.stack([lat - 7.5, lat + 7.5]), -90, 90)))
weights = xr.DataArray(np.abs(sines[1] - sines[0]), dims="lat")


def mean_inside(west, south, east, north):
    inside = (array.lat >= south) & (array.lat < north) & (array.lon >= west) & (array.lon < east)
    return listed(array.weighted(weights * inside).mean(("lat", "lon")))


result = {
    "lat": lat.tolist(),
    "lon": lon.tolist(),
    "data": listed(data),
    "places": {name: values.tolist() for name, values in places.items()},
    "nearest": listed(array.sel(at, method="nearest").transpose("time", "place")),
    "linear": listed(array.interp(at).transpose("time", "place")),
    "areas": areas,
    "means": [mean_inside(*area) for area in areas],
}
Path(__file__).with_name("series.json").write_text(json.dumps(result) + "\n")
