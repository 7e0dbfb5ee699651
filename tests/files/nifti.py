"""Writes NIfTI files with nibabel, and their images as nibabel reads them.

usage: nifti.py OUT
"""

import gzip

import nibabel
import numpy
from shared.cases import lines, place, write_cases

rng = numpy.random.default_rng(11)
names = "xyztuvw"
texts = ["descrip", "aux_file", "intent_name"]
numbers = (
    "intent_code intent_p1 intent_p2 intent_p3 dim_info pixdim xyzt_units cal_max cal_min slice_code slice_start slice_end "
    "slice_duration toffset scl_slope scl_inter qform_code sform_code quatern_b quatern_c quatern_d qoffset_x qoffset_y "
    "qoffset_z srow_x srow_y srow_z"
).split()
spaces = {1: "meter", 2: "millimeter", 3: "micrometer"}
times = {8: "second", 16: "millisecond", 24: "microsecond"}


def plain(value):
    value = value.tolist()
    if isinstance(value, list):
        return [plain(numpy.float64(item)) for item in value]
    return {"$float": "NaN"} if value != value else value


def affine_of(header):
    if header["sform_code"] > 0:
        return header.get_sform()
    if header["qform_code"] > 0:
        b, c, d = (float(header[f"quatern_{part}"]) for part in "bcd")
        rest = 1 - (b * b + c * c + d * d)
        a = rest**0.5 if rest > 3 * 2.0**-23 else 0.0
        turn = numpy.array(
            [
                [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
                [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
                [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c],
            ]
        )
        sizes = header["pixdim"][1:4].astype("f8") * [1, 1, -1 if header["pixdim"][0] == -1 else 1]
        affine = numpy.eye(4)
        affine[:3, :3] = turn * sizes + 0.0
        affine[:3, 3] = [header[f"qoffset_{axis}"] for axis in "xyz"]
        assert numpy.allclose(affine, header.get_qform(), atol=1e-6)
        return affine
    return numpy.diag([*header["pixdim"][1:4].astype("f8"), 1])


def attributes_of(header, dtype):
    found = {}
    for key in texts:
        value = header[key].item().decode("latin-1").rstrip()
        if value:
            found[key] = value
    for key in numbers:
        found[key] = plain(header[key])
    slope, inter = (float(header[key]) for key in ("scl_slope", "scl_inter"))
    is_complex = dtype.kind == "c"
    if numpy.isfinite(slope) and slope != 0 and not dtype.fields and not (is_complex and inter != 0):
        del found["scl_slope"], found["scl_inter"]
        if slope != 1:
            found["scale_factor"] = slope
        if inter != 0:
            found["add_offset"] = inter
    found["affine"] = affine_of(header).tolist()
    return found


def ome_of(header, shape, dtype):
    affine = affine_of(header)
    rank = len(shape)
    units = int(header["xyzt_units"])
    if rank not in (2, 3, 4) or dtype.fields or (rank == 4 and units & 56 > 24):
        return None
    count = min(rank, 3)
    wanted = numpy.diag(numpy.diag(affine))
    wanted[:count, 3] = affine[:count, 3]
    if not numpy.array_equal(affine, wanted) or not (numpy.diag(affine)[:count] > 0).all():
        return None
    step = float(header["pixdim"][4])
    scale = [*numpy.diag(affine)[:count].tolist(), step if step > 0 else 1.0][:rank]
    start = [*affine[:count, 3].tolist(), float(header["toffset"])][:rank]
    axes = []
    for i in range(rank):
        unit = spaces.get(units & 7) if i < 3 else times.get(units & 56) if step > 0 else None
        axes.append({"name": names[i], "type": "space" if i < 3 else "time", **({"unit": unit} if unit else {})})
    steps = [{"type": "scale", "scale": scale[::-1]}]
    if any(start):
        steps.append({"type": "translation", "translation": start[::-1]})
    return {"version": "0.5", "multiscales": [{"axes": axes[::-1], "datasets": [{"path": "0", "coordinateTransformations": steps}]}]}


def describe(name):
    image = nibabel.load(place(name))
    # The header of the image has no scale any more.
    with (gzip.open if name.endswith(".gz") else open)(place(name), "rb") as file:
        header = type(image.header).from_fileobj(file, check=False)
    data = image.dataobj.get_unscaled()
    dtype = data.dtype
    samples = len(dtype.fields) if dtype.fields else 0
    shape = [*data.shape[::-1], *([samples] if samples else [])]
    ome = ome_of(header, data.shape, dtype)
    lines.append(
        {"file": name, "path": "", "kind": "group", "members": ["0"], "attributes": {"ome": ome} if ome else {}}
    )
    with open(place(f"{name}.bin"), "wb") as file:
        file.write(numpy.ascontiguousarray(data.T).astype(dtype.newbyteorder("<")).tobytes())
    lines.append(
        {
            "file": name,
            "path": "0",
            "kind": "array",
            "shape": shape,
            "data_type": "uint8" if samples else dtype.name,
            "dimensions": [*reversed(names[: len(data.shape)]), *(["s"] if samples else [])],
            "attributes": attributes_of(header, dtype),
            "values": f"{name}.bin",
        }
    )


def refuse(name, kind, message, path="0"):
    lines.append({"file": name, "path": path, "error": kind, "message": message})


def sample(dtype, shape):
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape))
    if dtype.kind in "fc":
        real = rng.standard_normal(count)
        return (real + 1j * rng.standard_normal(count) if dtype.kind == "c" else real).astype(dtype).reshape(shape)
    return numpy.frombuffer(rng.bytes(count * dtype.itemsize), dtype).reshape(shape)


def build(name, data, affine=None, order="<", version=1, change=None):
    pair = name.split(".")[1] == "hdr"
    kinds = {
        (1, False): nibabel.Nifti1Image,
        (1, True): nibabel.Nifti1Pair,
        (2, False): nibabel.Nifti2Image,
        (2, True): nibabel.Nifti2Pair,
    }
    kind = kinds[version, pair]
    header = kind.header_class(endianness=order)
    header.set_data_dtype(data.dtype)
    image = kind(data, affine, header)
    image.header.set_slope_inter(1, 0)
    if change:
        change(image.header)
    nibabel.save(image, place(name.replace(".hdr", ".img")))
    return image


def patch(name, source, at, content):
    with open(place(source), "rb") as file:
        data = bytearray(file.read())
    data[at : at + len(content)] = content
    with open(place(name), "wb") as file:
        file.write(data)


def every_type():
    for version in (1, 2):
        for order in "<>":
            for code in "u1 i1 i2 u2 i4 u4 i8 u8 f4 f8 c8 c16".split():
                name = f"{code}-{version}-{'le' if order == '<' else 'be'}.nii"
                build(name, sample(code, (4, 3, 2)), numpy.diag([2, 2.5, 3, 1]), order, version)
                describe(name)
    for fields, code in (("RGB", "rgb"), ("RGBA", "rgba")):
        dtype = numpy.dtype([(field, "u1") for field in fields])
        for version in (1, 2):
            name = f"{code}-{version}.nii"
            build(name, sample(dtype, (4, 3, 2)), numpy.eye(4), "<", version)
            describe(name)


def shapes():
    for rank in range(1, 8):
        name = f"rank{rank}.nii"
        build(name, sample("i2", tuple([5, 4, 3, 2, 3, 2, 2][:rank])), numpy.eye(4))
        describe(name)
    build("vectors.nii.gz", sample("f4", (4, 3, 2, 1, 3)), numpy.eye(4))
    describe("vectors.nii.gz")
    build("large.nii", rng.integers(0, 99, (256, 256, 90, 2)).astype("i2"), numpy.eye(4))
    describe("large.nii")


def geometry():
    turn = numpy.array([[0.8, -0.6, 0, -10], [0.6, 0.8, 0, 20.5], [0, 0, 2, 3], [0, 0, 0, 1]])
    move = numpy.array([[2, 0, 0, -90], [0, 2, 0, -126], [0, 0, 2.5, -72], [0, 0, 0, 1.0]])
    mirror = numpy.diag([-2, 2, 2, 1.0])
    units = lambda space, time: lambda header: header.set_xyzt_units(space, time)
    for name, affine in (("turned", turn), ("moved", move), ("mirrored", mirror)):
        for code, form in ((1, "sform"), (1, "qform"), (0, "none")):

            def change(header):
                header.set_sform(affine, 1 if form == "sform" else 0)
                header.set_qform(affine, 1 if form == "qform" else 0)
                header.set_xyzt_units("mm", "sec")

            build(f"{name}-{form}.nii", sample("i2", (4, 3, 2)), affine, change=change)
            describe(f"{name}-{form}.nii")
    for space, time in (("mm", "sec"), ("meter", "msec"), ("micron", "usec"), ("unknown", "unknown"), ("mm", "hz"), ("mm", "ppm")):

        def timed(header):
            header.set_xyzt_units(space, time)
            header["pixdim"][4] = 1.75
            header["toffset"] = 0.5

        build(f"units-{space}-{time}.nii", sample("i2", (3, 2, 2, 3)), move, change=timed)
        describe(f"units-{space}-{time}.nii")

    def no_step(header):
        header.set_xyzt_units("mm", "sec")
        header["pixdim"][4] = 0

    build("no-step.nii", sample("i2", (3, 2, 2, 3)), move, change=no_step)
    describe("no-step.nii")


def set_scale(name, source, slope, inter):
    patch(name, source, 112, numpy.array([slope, inter], "<f4").tobytes())
    describe(name)


def fields():
    for name, slope, inter in (("scaled", 0.25, -7), ("zero", 0, 5), ("nan", numpy.nan, numpy.nan), ("offset", 1, 3)):
        set_scale(f"scale-{name}.nii", "i2-1-le.nii", slope, inter)
    set_scale("scale-complex.nii", "c8-1-le.nii", 2, 1)
    set_scale("scale-complex-0.nii", "c8-1-le.nii", 2, 0)
    set_scale("scale-rgb.nii", "rgb-1.nii", 2, 1)

    def change(header):
        header["descrip"] = b"a description"
        header["aux_file"] = "d\xe9j\xe0".encode("latin-1")
        header.set_intent("t test", (10.5,), "test")
        header.set_dim_info(0, 1, 2)
        header["cal_max"], header["cal_min"] = 99.5, -1
        header["slice_start"], header["slice_end"], header["slice_duration"], header["slice_code"] = 0, 1, 0.1, 3
        header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"an extension" * 9))

    for version in (1, 2):
        build(f"fields-{version}.nii", sample("i2", (4, 3, 2)), numpy.eye(4), "<>"[version - 1], version, change)
        describe(f"fields-{version}.nii")


def compressed():
    build("small.nii.gz", sample("i2", (4, 3, 2)), numpy.eye(4), ">")
    describe("small.nii.gz")
    build("two.nii.gz", sample("f8", (40, 30, 20)), numpy.eye(4), "<", 2)
    describe("two.nii.gz")
    for version in (1, 2):
        for end in ("hdr", "hdr.gz"):
            name = f"pair{version}.{end}"
            build(name, sample("u2", (4, 3, 2)), numpy.eye(4), "<", version)
            describe(name)
    with open(place("small.nii.gz"), "rb") as file:
        data = file.read()
    with open(place("cut.nii.gz"), "wb") as file:
        file.write(data[:-20])
    refuse("cut.nii.gz", "InvalidMetadata", "cannot be decompressed")
    with gzip.open(place("short.nii.gz"), "wb") as file:
        file.write(gzip.decompress(data)[:-5])
    refuse("short.nii.gz", "InvalidMetadata", "ends before")
    for name, content, message in (
        ("classic.nc.gz", b"CDF\x01" + bytes(40), "a NetCDF file (classic) in gzip"),
        ("text.gz", b"some text", "a file of an unknown format in gzip"),
    ):
        with gzip.open(place(name), "wb") as file:
            file.write(content)
        refuse(name, "Unsupported", message, "")


def refused():
    for code, name in ((1, "BINARY"), (1536, "FLOAT128"), (2048, "COMPLEX256")):
        patch(f"type{code}.nii", "i2-1-le.nii", 70, numpy.array(code, "<i2").tobytes())
        refuse(f"type{code}.nii", "Unsupported", name, "")
    for name, at, content, message in (
        ("bad-type", 70, b"\x03\x00", "datatype 3"),
        ("bad-rank", 40, b"\x08\x00", "8 dimensions"),
        ("bad-length", 42, b"\xff\xff", "length -1"),
        ("bad-offset", 108, numpy.array(10.0, "<f4").tobytes(), "vox_offset 10"),
        ("bad-inter", 112, numpy.array([2, numpy.nan], "<f4").tobytes(), "scl_inter NaN"),
    ):
        patch(f"{name}.nii", "i2-1-le.nii", at, content)
        refuse(f"{name}.nii", "InvalidMetadata", message, "")
    patch("huge.nii", "i2-1-le.nii", 42, numpy.array([300, 300, 300], "<i2").tobytes())
    refuse("huge.nii", "InvalidMetadata", "ends before")
    with open(place("pair1.hdr"), "rb") as file, open(place("alone.header"), "wb") as other:
        other.write(file.read())
    refuse("alone.header", "Unsupported", "a pair of files", "")


every_type()
shapes()
geometry()
fields()
compressed()
refused()
write_cases()
