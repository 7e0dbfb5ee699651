"""Prints what the recipes of docs/compute.md print, computed with xarray: python3 recipes.py > recipes.json"""

import json
import warnings

import numpy as np
import pandas as pd
import xarray as xr

warnings.simplefilter("ignore")

DAYS, LATS, LONS = 731, [-60, -30, 0, 30, 60], [0, 90, 180, 270]


def air():
    """The dataset of tests/node/support/doc-stores.ts."""
    t, y, x = np.meshgrid(range(DAYS), range(5), range(4), indexing="ij")
    raw = (t * 7919 + y * 104729 + x * 1299709) % 4001 - 2000
    t2m = np.where((t * 5 + y * 3 + x) % 97 == 0, np.nan, raw * 0.01 + 280)
    coords = {"time": pd.date_range("2000-01-01", periods=DAYS), "lat": LATS, "lon": LONS}
    dims = ("time", "lat", "lon")
    basins = np.arange(20).reshape(5, 4) % 4
    return xr.Dataset({"t2m": (dims, t2m), "basins": (dims[1:], basins)}, coords)


def scene():
    y, x = np.meshgrid(range(64), range(64), indexing="ij")
    red, nir = (y * 31 + x * 17) % 1000 + 1, (y * 13 + x * 29) % 3000 + 1
    return xr.Dataset({"red": (("y", "x"), red), "nir": (("y", "x"), nir)}).astype("float64")


def fixed(values, digits=3):
    return " ".join(f"{value:.{digits}f}" for value in np.atleast_1d(np.asarray(values, "f8")))


def main():
    data, image = air(), scene()
    t2m, red, nir = data.t2m, image.red, image.nir
    monthly = t2m.groupby("time.month").mean("time")
    anomaly = t2m.groupby("time.month") - monthly
    area = np.diff(np.sin(np.radians([-75, -45, -15, 15, 45, 75])))
    weights = xr.DataArray(area, {"lat": LATS}, "lat")
    ndvi = (nir - red) / (nir + red)
    label_means = [t2m.where(data.basins == label).weighted(weights).mean(["lat", "lon"])[0] for label in (1, 2, 3)]
    shares = np.linspace(0, 1, 101)
    matched = np.interp(np.interp(red, np.quantile(red, shares), shares), shares, np.quantile(nir, shares))
    seasons = t2m.groupby("time.season").std("time")
    print(json.dumps({
        "climatology": fixed(monthly[:3, 2, 1]),
        "anomaly": fixed(anomaly[:3, 2, 1]),
        "ndvi": fixed([ndvi.mean(), ndvi.min(), ndvi.max()], 6),
        "labels": fixed(label_means),
        "zonal": fixed(t2m.mean(["time", "lon"])),
        "globe": fixed(t2m.weighted(weights).mean(["lat", "lon"])[:3]),
        "season": f"{' '.join(seasons.season.values)} {fixed(seasons[:, 0, 0])}",
        "rolling": fixed(t2m.rolling(time=7).mean()[6:9, 1, 1]),
        "resample": fixed(t2m.resample(time="MS").max()[:3, 1, 1]),
        "matching": fixed(matched[0, :4]),
        "quantile": fixed(np.nanquantile(t2m, [0.05, 0.5, 0.95])),
        "statistics": f"{int(t2m.count())} {int(t2m.isnull().sum())} {fixed([t2m.min(), t2m.max(), t2m.mean(), t2m.std()])}",
        "point": fixed(t2m.sel(lat=27, lon=95, method="nearest")[:3]),
    }, indent=2))


main()
