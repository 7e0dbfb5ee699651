"""Writes healpix.json: cells of points at all levels, as healpy finds them (Debian: python3-healpy)."""

import json
from pathlib import Path

import healpy
import numpy

rng = numpy.random.default_rng(1)
points = []
for level in range(25):
    nside = 2**level
    lat = numpy.degrees(numpy.arcsin(rng.uniform(-1, 1, 24)))
    lon = rng.uniform(-180, 360, 24)
    # The poles, the antimeridian, the equator, and the borders of the polar caps.
    lat = numpy.append(lat, [90, -90, 89.9999, -89.9999, 41.8, -41.82, 1e-7, -1e-7, 12.3, -55.5]).round(9)
    lon = numpy.append(lon, [10.1, 200.3, 359.99, 0.01, 90.01, 179.9999, 180.0001, -180 + 1e-7, 359.9999999, -1e-7])
    lon = lon.round(9)
    nested = healpy.ang2pix(nside, lon, lat, nest=True, lonlat=True)
    ring = healpy.ang2pix(nside, lon, lat, lonlat=True)
    centres = healpy.pix2ang(nside, nested, nest=True, lonlat=True)
    points.append(
        {
            "level": level,
            "lon": lon.tolist(),
            "lat": lat.tolist(),
            "nested": nested.tolist(),
            "ring": ring.tolist(),
            "centreLon": centres[0].round(9).tolist(),
            "centreLat": centres[1].round(9).tolist(),
        }
    )
whole = {level: healpy.nest2ring(2**level, numpy.arange(12 * 4**level)).tolist() for level in range(4)}
golden = {"points": points, "nestedToRing": whole}
Path(__file__).with_name("healpix.json").write_text(json.dumps(golden, separators=(",", ":")))
