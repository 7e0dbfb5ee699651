"""Writes GRIB 2 files with ecCodes, and their contents as cfgrib and ecCodes read them.

usage: grib2.py OUT
"""


import cfgrib
import eccodes
import numpy
from rasterio.crs import CRS
from rasterio.warp import transform
from shared.cases import lines, place, write_cases

rng = numpy.random.default_rng(42)

pressure = {"typeOfFirstFixedSurface": 100, "scaleFactorOfFirstFixedSurface": 0}
height = {"typeOfFirstFixedSurface": 103, "scaleFactorOfFirstFixedSurface": 0}
surface = {"typeOfFirstFixedSurface": 1}
temperature = {"discipline": 0, "parameterCategory": 0, "parameterNumber": 0}
u_wind = {"discipline": 0, "parameterCategory": 2, "parameterNumber": 2}


def at_pressure(hectopascal):
    return {**pressure, "scaledValueOfFirstFixedSurface": round(hectopascal * 100)}


def at_height(metres):
    return {**height, "scaledValueOfFirstFixedSurface": metres}


def message(sample="regular_ll_sfc_grib2", missing=0, values=None, decimals=2, bits=None, **keys):
    """Returns a message made from a sample of ecCodes."""
    handle = eccodes.codes_grib_new_from_samples(sample)
    for key, value in keys.items():
        eccodes.codes_set(handle, key, value)
    sizes = [keys[key] for key in ("Ni", "Nj", "Nx", "Ny") if key in keys]
    if len(sizes) == 2:
        eccodes.codes_set(handle, "numberOfDataPoints", sizes[0] * sizes[1])
    count = eccodes.codes_get(handle, "numberOfDataPoints")
    if values is None:
        values = numpy.cumsum(rng.normal(0, 1, count)) + 280
    values = numpy.array(values, "f8")
    if missing:
        eccodes.codes_set(handle, "bitmapPresent", 1)
        eccodes.codes_set(handle, "missingValue", 1e20)
        values[rng.choice(count, missing, replace=False)] = 1e20
    packing = keys.get("packingType")
    if packing != "grid_ieee":
        eccodes.codes_set(handle, "packingType", "grid_simple")
        eccodes.codes_set(handle, *(("bitsPerValue", bits) if bits else ("decimalScaleFactor", decimals)))
    eccodes.codes_set_values(handle, values)
    if packing:
        eccodes.codes_set(handle, "packingType", packing)
    data = eccodes.codes_get_message(handle)
    eccodes.codes_release(handle)
    return data


def write(name, *parts):
    with open(place(name), "wb") as file:
        file.write(b"".join(parts))


def save(name, path, data):
    values = f"{name}.{path.replace('/', '.')}.bin"
    data = numpy.asarray(data, order="C")
    with open(place(values), "wb") as file:
        file.write(data.astype(data.dtype.newbyteorder("<")).tobytes())
    return values


def describe(name, group="", types={}, own=None, **filters):
    """Adds a line for each variable that cfgrib shows of a part of a file. `own` receives variables by name."""
    index = cfgrib.open_file(place(name), indexpath="", errors="raise", filter_by_keys=filters)
    prefix = f"{group}/" if group else ""
    for key, variable in index.variables.items():
        data = variable.data
        is_field = hasattr(data, "build_array")
        data = data.build_array() if is_field else numpy.asarray(data)
        shown = own.get(key, key) if own else key
        if is_field:
            data = data.astype(types.get(key, "f4"))
        elif key in ("number", "time", "valid_time"):
            data = data.astype("i8")
        else:
            data = data.astype("f8")
        line = {
            "file": name,
            "path": prefix + shown,
            "kind": "array",
            "shape": list(data.shape),
            "data_type": data.dtype.name,
            "dimensions": list(variable.dimensions) or None,
            "values": save(name, prefix + shown, data),
        }
        if not line["dimensions"]:
            del line["dimensions"]
        if key in ("latitude", "longitude"):
            # ecCodes computes rotated grids with floats of 32 bits.
            line["tolerance"] = 1e-4 if "rotated" in name else 1e-6
        if "mercator" in name and line["shape"] == [300]:
            # cfgrib does not show the shape of these grids.
            line.update(shape=[15, 20], dimensions=["y", "x"])
        if "westward" in name and key == "longitude":
            # cfgrib sorts them, but not the values.
            line["values"] = save(name, key, data[::-1])
        lines.append(line)


def members(name, path, names):
    lines.append({"file": name, "path": path, "kind": "group", "members": names})


def refuse(name, path, error, text):
    lines.append({"file": name, "path": path, "error": error, "message": text})


def packings():
    """Each packing, with and without a bitmap; constant fields."""
    kinds = {
        "simple": {"packingType": "grid_simple"},
        "jpeg": {"packingType": "grid_jpeg"},
        "ccsds": {"packingType": "grid_ccsds"},
        "ieee": {"packingType": "grid_ieee"},
    }
    for kind, keys in kinds.items():
        # tests/golden/grib.py has PNG and complex packing, with which ecCodes fails for many grids.
        for missing in (0, 40):
            name = f"{kind}{'-bitmap' if missing else ''}.grib2"
            write(name, message(missing=missing, **temperature, **at_pressure(850), **keys))
            describe(name)
    write("constant.grib2", message(values=numpy.full(496, 3.5), decimals=0, **temperature, **at_pressure(850)))
    describe("constant.grib2")
    write("double.grib2", message(packingType="grid_ieee", precision=2, **temperature, **at_pressure(850)))
    describe("double.grib2", types={"t": "f8"})
    double = lines[[line["path"] for line in lines].index("t")]
    for line in lines:
        if line["file"] == "double.grib2" and line["path"] == "t":
            with open(place("double.grib2"), "rb") as file:
                handle = eccodes.codes_grib_new_from_file(file)
                line["values"] = save("double.grib2", "t", eccodes.codes_get_values(handle))
    assert double


def grid_cases():
    """Grids with their coordinates."""
    latlon = {"sample": "regular_ll_sfc_grib2"}
    global_grid = {
        "Ni": 36, "Nj": 19, "latitudeOfFirstGridPointInDegrees": 90, "longitudeOfFirstGridPointInDegrees": 0,
        "latitudeOfLastGridPointInDegrees": -90, "longitudeOfLastGridPointInDegrees": 350,
        "iDirectionIncrementInDegrees": 10, "jDirectionIncrementInDegrees": 10,
    }
    thirds = {
        "Ni": 31, "Nj": 13, "latitudeOfFirstGridPoint": 50000000, "longitudeOfFirstGridPoint": 1000000,
        "latitudeOfLastGridPoint": 46000000, "longitudeOfLastGridPoint": 11000000,
        "iDirectionIncrement": 333333, "jDirectionIncrement": 333333,
    }
    return {
        "global": {**latlon, **global_grid},
        "from-180": {**latlon, **global_grid, "longitudeOfFirstGridPointInDegrees": 180, "longitudeOfLastGridPointInDegrees": 170},
        "thirds": {**latlon, **thirds},
        "northward": {**latlon, **global_grid, "jScansPositively": 1, "latitudeOfFirstGridPointInDegrees": -90, "latitudeOfLastGridPointInDegrees": 90},
        "westward": {**latlon, **global_grid, "iScansNegatively": 1, "longitudeOfFirstGridPointInDegrees": 350, "longitudeOfLastGridPointInDegrees": 0},
        "across-zero": {**latlon, **thirds, "longitudeOfFirstGridPoint": 355000000, "longitudeOfLastGridPoint": 5000000},
        "rotated": {"sample": "rotated_ll_sfc_grib2"},
        "rotated-region": {
            "sample": "rotated_ll_sfc_grib2", **thirds,
            "latitudeOfSouthernPoleInDegrees": -39.25, "longitudeOfSouthernPoleInDegrees": 18,
        },
        "gaussian": {"sample": "regular_gg_sfc_grib2"},
        "reduced-32": {"sample": "reduced_gg_pl_32_grib2"},
        "reduced-48": {"sample": "reduced_gg_pl_48_grib2"},
        "reduced-80": {"sample": "reduced_gg_pl_80_grib2"},
        "polar": {"sample": "polar_stereographic_pl_grib2", "jScansPositively": 1},
        "polar-south": {
            "sample": "polar_stereographic_pl_grib2", "jScansPositively": 1, "projectionCentreFlag": 128,
            "latitudeOfFirstGridPoint": -60000000, "LaD": -60000000,
        },
    }


def plane(template, **keys):
    return {**{"sample": "regular_ll_sfc_grib2", "gridDefinitionTemplateNumber": template, "Nx": 20, "Ny": 15}, **keys}


def projected_cases():
    hrrr = {
        "shapeOfTheEarth": 6, "latitudeOfFirstGridPoint": 21138123, "longitudeOfFirstGridPoint": 237280472, "LaD": 38500000,
        "LoV": 262500000, "Dx": 90000000, "Dy": 90000000, "jScansPositively": 1, "Latin1": 38500000, "Latin2": 38500000,
    }
    mercator = {
        "shapeOfTheEarth": 6, "latitudeOfFirstGridPoint": 18073000, "longitudeOfFirstGridPoint": 197975000, "LaD": 20000000,
        "latitudeOfLastGridPoint": 23088000, "longitudeOfLastGridPoint": 206131000, "Di": 44000000, "Dj": 44000000, "jScansPositively": 1,
    }
    return {
        "lambert": plane(30, **hrrr),
        "lambert-two": plane(30, **{**hrrr, "Latin1": 30000000, "Latin2": 60000000, "latitudeOfFirstGridPoint": 60000000}),
        "lambert-ellipsoid": plane(30, **{**hrrr, "shapeOfTheEarth": 4}),
        "mercator": plane(10, **mercator),
        "mercator-ellipsoid": plane(10, **{**mercator, "shapeOfTheEarth": 5}),
    }


def proj_cases():
    """Grids that this ecCodes does not compute, or without regard to the directions of rows and columns."""
    plane_keys = {
        "shapeOfTheEarth": 6, "latitudeOfFirstGridPoint": -60000000, "longitudeOfFirstGridPoint": 237280472, "LaD": -40000000,
        "LoV": 262500000, "Dx": 90000000, "Dy": 80000000, "projectionCentreFlag": 128,
    }
    south = {**plane_keys, "jScansPositively": 1, "Latin1": -30000000, "Latin2": -50000000}
    polar = {**plane_keys, "LaD": 60000000, "projectionCentreFlag": 0, "latitudeOfFirstGridPoint": 50000000}
    cone = "+proj=lcc +lat_1=-30 +lat_2=-50 +lat_0=-40 +lon_0=262.5"
    return {
        "mercator-steps": (
            {**projected_cases()["mercator"], "Dj": 39000000},
            "+proj=merc +lat_ts=20 +R=6371229",
        ),
        "lambert-south": (plane(30, **south), f"{cone} +R=6371229"),
        "lambert-down": (plane(30, **{**south, "jScansPositively": 0}), f"{cone} +R=6371229"),
        "lambert-west": (plane(30, **{**south, "iScansNegatively": 1}), f"{cone} +R=6371229"),
        "polar-down": (plane(20, **polar), "+proj=stere +lat_0=90 +lat_ts=60 +lon_0=262.5 +R=6371229"),
        "polar-ellipsoid": (plane(20, **{**polar, "shapeOfTheEarth": 5}), "+proj=stere +lat_0=90 +lat_ts=60 +lon_0=262.5 +ellps=WGS84"),
        "polar-south-ellipsoid": (
            plane(20, **{**plane_keys, "shapeOfTheEarth": 4, "LaD": -71000000}),
            "+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=262.5 +ellps=GRS80",
        ),
    }


def by_proj(name, keys, proj):
    """Adds lines for the coordinates of a grid, computed by PROJ."""
    plane_crs = CRS.from_proj4(f"{proj} +units=m +no_defs")
    earth = " ".join(word for word in proj.split() if word.startswith(("+R=", "+ellps=")))
    crs = CRS.from_proj4(f"+proj=longlat {earth} +no_defs")
    (x,), (y,) = transform(crs, plane_crs, [keys["longitudeOfFirstGridPoint"] / 1e6], [keys["latitudeOfFirstGridPoint"] / 1e6])
    dx = keys.get("Dx", keys.get("Di")) / 1000 * (-1 if keys.get("iScansNegatively") else 1)
    dy = keys.get("Dy", keys.get("Dj")) / 1000 * (1 if keys.get("jScansPositively") else -1)
    xs, ys = numpy.meshgrid(x + dx * numpy.arange(keys["Nx"]), y + dy * numpy.arange(keys["Ny"]))
    longitude, latitude = transform(plane_crs, crs, xs.ravel(), ys.ravel())
    for path, data in (("latitude", latitude), ("longitude", numpy.mod(longitude, 360))):
        data = numpy.reshape(data, xs.shape)
        lines.append({
            "file": name, "path": path, "kind": "array", "shape": list(data.shape), "dimensions": ["y", "x"],
            "values": save(name, path, data), "tolerance": 1e-6,
        })


def grids():
    for kind, keys in {**grid_cases(), **projected_cases()}.items():
        name = f"grid-{kind}.grib2"
        write(name, message(**{**keys, **temperature, **at_pressure(500)}))
        describe(name)
    for kind, (keys, proj) in proj_cases().items():
        name = f"grid-{kind}.grib2"
        write(name, message(**{**keys, **temperature, **at_pressure(500)}))
        by_proj(name, keys, proj)
    write("grid-unstructured.grib2", message(gridDefinitionTemplateNumber=101, numberOfDataPoints=496, **temperature, **at_pressure(500)))
    with open(place("grid-unstructured.grib2"), "rb") as file:
        handle = eccodes.codes_grib_new_from_file(file)
        values = eccodes.codes_get_values(handle).astype("f4")
    name = "grid-unstructured.grib2"
    lines.append({"file": name, "path": "t", "kind": "array", "shape": [496], "dimensions": ["values"], "values": save(name, "t", values)})
    members(name, "", ["isobaricInhPa", "step", "t", "time", "valid_time"])


small = {
    "Ni": 6, "Nj": 4, "latitudeOfFirstGridPointInDegrees": 60, "longitudeOfFirstGridPointInDegrees": 0,
    "latitudeOfLastGridPointInDegrees": 30, "longitudeOfLastGridPointInDegrees": 50,
    "iDirectionIncrementInDegrees": 10, "jDirectionIncrementInDegrees": 10,
}


def cubes():
    """Hypercubes of levels, steps, times and members, and such with holes."""
    levels = [1000, 850, 500, 250, 10]
    write("levels.grib2", *[message(**small, **temperature, **at_pressure(level)) for level in levels])
    describe("levels.grib2")
    write("steps.grib2", *[message(**small, **temperature, **at_height(2), forecastTime=step) for step in (12, 0, 6)])
    describe("steps.grib2")
    write("minutes.grib2", *[message(**small, **temperature, **at_height(2), indicatorOfUnitOfTimeRange=0, forecastTime=step) for step in (0, 60, 120)])
    describe("minutes.grib2")
    write("days.grib2", *[message(**small, **temperature, **at_height(2), indicatorOfUnitOfTimeRange=2, forecastTime=step) for step in (0, 1, 5)])
    describe("days.grib2")
    times = [(20240229, 0), (20240229, 1200), (20231231, 600), (19581231, 600)]
    write("times.grib2", *[message(**small, **temperature, **at_height(2), dataDate=date, dataTime=time) for date, time in times])
    describe("times.grib2")
    write("times-steps.grib2", *[message(**small, **temperature, **at_height(2), dataDate=date, dataTime=time, forecastTime=step) for date, time in times for step in (0, 3)])
    describe("times-steps.grib2")
    member = {"productDefinitionTemplateNumber": 1, "numberOfForecastsInEnsemble": 3}
    write("members.grib2", *[message(**small, **member, **temperature, **at_pressure(level), perturbationNumber=number) for number in (0, 1, 2) for level in (850, 500)])
    describe("members.grib2")
    write("one-member.grib2", message(**small, **member, **temperature, **at_pressure(500), perturbationNumber=7))
    describe("one-member.grib2")
    write("holes.grib2", *[message(**small, **temperature, **at_pressure(level), forecastTime=step) for step, level in [(0, 850), (6, 500), (12, 850), (12, 500)]])
    describe("holes.grib2")
    write("repeated.grib2", *[message(**small, **temperature, **at_pressure(level)) for level in (850, 500, 850)])
    describe("repeated.grib2")
    write("unknown.grib2", message(**small, discipline=0, parameterCategory=3, parameterNumber=191, **at_pressure(500)))
    describe("unknown.grib2", own={"unknown": "0_3_191"})


def level_types():
    """Types of levels."""
    cases = {
        "surface": {**surface},
        "meanSea": {"typeOfFirstFixedSurface": 101},
        "hybrid": {"typeOfFirstFixedSurface": 105, "scaleFactorOfFirstFixedSurface": 0, "scaledValueOfFirstFixedSurface": 91},
        "theta": {"typeOfFirstFixedSurface": 107, "scaleFactorOfFirstFixedSurface": 0, "scaledValueOfFirstFixedSurface": 330},
        "sigma": {"typeOfFirstFixedSurface": 104, "scaleFactorOfFirstFixedSurface": 0, "scaledValueOfFirstFixedSurface": 1},
        "isobaricInPa": at_pressure(0.5),
        "potentialVorticity": {"typeOfFirstFixedSurface": 109, "scaleFactorOfFirstFixedSurface": 6, "scaledValueOfFirstFixedSurface": 2000000},
        "depthBelowLand": {"typeOfFirstFixedSurface": 106, "scaleFactorOfFirstFixedSurface": 0, "scaledValueOfFirstFixedSurface": 1},
        "heightAboveSea": {"typeOfFirstFixedSurface": 102, "scaleFactorOfFirstFixedSurface": 0, "scaledValueOfFirstFixedSurface": 3000},
        "tropopause": {"typeOfFirstFixedSurface": 7},
        "nominalTop": {"typeOfFirstFixedSurface": 8},
        "entireAtmosphere": {"typeOfFirstFixedSurface": 1, "typeOfSecondFixedSurface": 8},
        "heightAboveGroundLayer": {
            **at_height(1000), "typeOfSecondFixedSurface": 103, "scaleFactorOfSecondFixedSurface": 0, "scaledValueOfSecondFixedSurface": 0,
        },
        "pressureFromGroundLayer": {
            "typeOfFirstFixedSurface": 108, "scaleFactorOfFirstFixedSurface": 0, "scaledValueOfFirstFixedSurface": 3000,
            "typeOfSecondFixedSurface": 108, "scaleFactorOfSecondFixedSurface": 0, "scaledValueOfSecondFixedSurface": 0,
        },
        "soilLayer": {
            "typeOfFirstFixedSurface": 151, "scaleFactorOfFirstFixedSurface": 0, "scaledValueOfFirstFixedSurface": 1,
            "typeOfSecondFixedSurface": 151, "scaleFactorOfSecondFixedSurface": 0, "scaledValueOfSecondFixedSurface": 2,
        },
    }
    for kind, keys in cases.items():
        name = f"level-{kind}.grib2"
        write(name, message(**small, **temperature, **keys))
        describe(name)


def groups():
    """Files that cfgrib reads in parts, by filters."""
    name = "heights.grib2"
    write(name, message(**small, **temperature, **at_height(2)), message(**small, **u_wind, **at_height(10)))
    describe(name, "heightAboveGround_2", shortName="2t")
    describe(name, "heightAboveGround_10", shortName="10u")
    members(name, "", ["heightAboveGround_2", "heightAboveGround_10"])
    name = "levels-and-surface.grib2"
    parts = [message(**small, **temperature, **at_pressure(level)) for level in (850, 500)]
    parts += [message(**small, **u_wind, **at_pressure(level)) for level in (850, 500)]
    sea = {"discipline": 0, "parameterCategory": 3, "parameterNumber": 0}
    write(name, *parts, message(**small, **sea, **surface))
    describe(name)
    name = "same-name.grib2"
    write(name, *parts, message(**small, **temperature, **surface))
    describe(name, "isobaricInhPa", typeOfLevel="isobaricInhPa")
    describe(name, "surface", typeOfLevel="surface")
    rain = {"discipline": 0, "parameterCategory": 1, "parameterNumber": 52, **surface}
    total = {"productDefinitionTemplateNumber": 8, "typeOfStatisticalProcessing": 1, "lengthOfTimeRange": 6, "indicatorOfUnitForTimeRange": 1}
    name = "accumulated.grib2"
    sums = [
        message(**small, **total, **rain, forecastTime=0, yearOfEndOfOverallTimeInterval=2007, monthOfEndOfOverallTimeInterval=3,
                dayOfEndOfOverallTimeInterval=23, hourOfEndOfOverallTimeInterval=18),
    ]
    write(name, *sums)
    describe(name)
    name = "surface-steps.grib2"
    write(name, *sums, *[message(**small, **sea, **surface, forecastTime=step) for step in (0, 6)])
    describe(name, "surface_accum", stepType="accum")
    describe(name, "surface_instant", stepType="instant")


def several_fields():
    """Messages with several fields, and bytes between messages."""
    name = "fields.grib2"
    handles = []
    multi = eccodes.codes_grib_multi_new()
    for level in (850, 500, 250):
        handle = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
        for key, value in {**small, **temperature, **at_pressure(level)}.items():
            eccodes.codes_set(handle, key, value)
        eccodes.codes_set_values(handle, rng.normal(280, 5, 24))
        eccodes.codes_grib_multi_append(handle, 4 if handles else 0, multi)
        handles.append(handle)
    with open(place(name), "wb") as file:
        eccodes.codes_grib_multi_write(multi, file)
    values = numpy.array([eccodes.codes_get_values(handle) for handle in handles]).astype("f4")
    lines.append({"file": name, "path": "t", "kind": "array", "shape": [3, 4, 6], "values": save(name, "t", values.reshape(3, 4, 6))})
    parts = [message(**small, **temperature, **at_pressure(level)) for level in (850, 500)]
    name = "garbage.grib2"
    write(name, parts[0], b"\0" * 100_000 + b"GRI", parts[1], b"end of file")
    describe(name)
    name = "bad-header.grib2"
    write(name, parts[0], b"GRIB" + b"x" * 37, parts[1])
    members(name, "", ["isobaricInhPa", "latitude", "longitude", "step", "t", "time", "valid_time"])
    name = "cut.grib2"
    write(name, parts[0], parts[1][:-30])
    members(name, "", ["isobaricInhPa", "latitude", "longitude", "step", "t", "time", "valid_time"])
    first = eccodes.codes_get_message(eccodes.codes_grib_new_from_samples("GRIB1"))
    write("edition1.grib", first)
    refuse("edition1.grib", "", "Unsupported", "GRIB file of edition 1")
    write("editions.grib2", parts[0], first, parts[1])
    members("editions.grib2", "", ["isobaricInhPa", "latitude", "longitude", "step", "t", "time", "valid_time"])
    name = "spectral.grib2"
    spectral = eccodes.codes_get_message(eccodes.codes_grib_new_from_samples("sh_pl_grib2"))
    write(name, parts[0], spectral)
    refuse(name, "isobaricInhPa_1000/t", "Unsupported", "grid template 3.50")
    describe(name, "isobaricInhPa_850", gridType="regular_ll")


packings()
grids()
cubes()
level_types()
groups()
several_fields()
write_cases()
