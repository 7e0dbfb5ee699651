"""Writes FITS files with astropy and CFITSIO's fpack, and their images as astropy reads them.

usage: fits.py OUT
"""

import os
import subprocess
import warnings

import numpy
from astropy.io import fits
from shared.cases import lines, place, write_cases

layout = {"SIMPLE", "XTENSION", "BITPIX", "EXTEND", "PCOUNT", "GCOUNT", "BZERO", "BSCALE", "BLANK", "CHECKSUM", "DATASUM"}
warnings.simplefilter("ignore")


def value(item):
    if isinstance(item, complex):
        return [item.real, item.imag]
    return item


def attributes(header):
    found = {}
    for card in header.cards:
        key = card.keyword
        if key in layout or key.startswith("NAXIS") or key in ("", "COMMENT", "HISTORY"):
            continue
        if not isinstance(card.value, fits.card.Undefined):
            found[key] = value(card.value)
    for key in ("COMMENT", "HISTORY"):
        if key in header:
            found[key] = "\n".join(str(line) for line in header[key])
    return found


def is_image(hdu):
    return isinstance(hdu, (fits.PrimaryHDU, fits.ImageHDU, fits.CompImageHDU))


def table_header(name, i):
    with fits.open(place(name), disable_image_compression=True) as file:
        return file[i].header


def describe(name):
    """Lists the images of a file; compressed ones that cannot be read are refused by name."""
    members = []
    with fits.open(place(name), do_not_scale_image_data=True, disable_image_compression=True) as file:
        first = attributes(file[0].header)
    with fits.open(place(name), do_not_scale_image_data=True) as file:
        for i, hdu in enumerate(file):
            if not is_image(hdu) or hdu.header["NAXIS"] == 0:
                continue
            is_tiled = isinstance(hdu, fits.CompImageHDU)
            table = table_header(name, i) if is_tiled else {}
            own = hdu.header.get("EXTNAME") or ("PRIMARY" if i == 0 or "ZSIMPLE" in table else f"HDU{i}")
            member = f"{own}.{i}" if own in members else own
            members.append(member)
            if table.get("ZCMPTYPE") in ("HCOMPRESS_1", "PLIO_1"):
                message = f"compressed by {table['ZCMPTYPE']}"
                lines.append({"file": name, "path": member, "error": "Unsupported", "message": message})
                continue
            read = packed_values if name.startswith("packed") else stored
            describe_image(name, member, hdu, read(name, i) if is_tiled else hdu.data)
    lines.append({"file": name, "path": "", "kind": "group", "members": members, "attributes": first})


def stored(name, i):
    """Returns the stored values of a compressed image: astropy scales them, whatever it is asked for."""
    with open(place(name), "rb") as file:
        data = file.read()
    for keyword in (b"BSCALE", b"BZERO", b"BLANK"):
        data = data.replace(b" " + keyword.ljust(8) + b"=", b" XXX     =")
    with open(place("stored"), "wb") as file:
        file.write(data)
    with fits.open(place("stored")) as file:
        values = numpy.array(file[i].data)
    os.remove(place("stored"))
    return values


def packed_values(name, i):
    """The same for an image of fpack. astropy 5.2 reads neither NOCOMPRESS, which is exact, nor the NaN of fpack."""
    with fits.open(place("plain.fits"), do_not_scale_image_data=True) as file:
        plain = numpy.array(file[i - 1].data)
    if table_header(name, i)["ZCMPTYPE"] == "NOCOMPRESS":
        return plain
    values = stored(name, i)
    return numpy.where((plain == plain) | (values != values), values, numpy.float32("nan")) if values.dtype.kind == "f" else values


def describe_image(name, member, hdu, data):
    header = hdu.header
    zero, scale = header.get("BZERO", 0), header.get("BSCALE", 1)
    unsigned = {8: -(2**7), 16: 2**15, 32: 2**31, 64: 2**63}
    extra = {}
    is_other = scale == 1 and zero != 0 and unsigned.get(header["BITPIX"]) == zero
    if is_other:
        other = numpy.dtype(f"{'i' if header['BITPIX'] == 8 else 'u'}{data.dtype.itemsize}")
        wide = data.astype(object) + int(zero)
        data = wide.astype(other)
    elif (zero, scale) != (0, 1):
        if scale != 1:
            extra["scale_factor"] = float(scale)
        if zero != 0:
            extra["add_offset"] = float(zero)
    if "BLANK" in header and header["BITPIX"] > 0:
        extra["_FillValue"] = header["BLANK"] + (int(zero) if is_other else 0)
    cards = attributes(header)
    for keyword in ("ZBLANK", "ZDITHER0"):  # of the compression; astropy keeps them
        cards.pop(keyword, None)
    values = f"{name}.{member}.bin"
    with open(place(values), "wb") as file:
        file.write(numpy.ascontiguousarray(data.astype(data.dtype.newbyteorder("<"))).tobytes())
    lines.append(
        {
            "file": name,
            "path": member,
            "kind": "array",
            "shape": list(data.shape),
            "data_type": data.dtype.name,
            "attributes": {**cards, **extra},
            "values": values,
        }
    )


rng = numpy.random.default_rng(7)


def sample(dtype, shape):
    dtype = numpy.dtype(dtype)
    return numpy.frombuffer(rng.bytes(int(numpy.prod(shape)) * dtype.itemsize), dtype).reshape(shape)


def every_type():
    for dtype in ["u1", "i1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]:
        for shape in [(7,), (5, 9), (3, 4, 5)]:
            name = f"{dtype}-{len(shape)}.fits"
            fits.PrimaryHDU(sample(dtype, shape)).writeto(place(name))
            describe(name)


def header_cards():
    hdu = fits.PrimaryHDU(numpy.arange(12, dtype="i2").reshape(3, 4))
    header = hdu.header
    header["OBJECT"] = ("M 31", "a galaxy")
    header["QUOTE"] = "it's / 'here'"
    header["EMPTY"] = ""
    header["LONGTEXT"] = "a long text, " * 20
    header["YES"], header["NO"] = True, False
    header["INTEGER"], header["LARGE"] = -42, 12345678901234567890
    header["FLOAT"], header["WHOLE"], header["TINY"] = 2.5, 3.0, 1.25e-30
    header["COMPLEX"] = 1.5 + 2.25j
    header["UNDEF"] = None
    header["HIERARCH ESO DET CHIP NAME"] = "CCD-50"
    header["CRVAL1"], header["CTYPE1"] = 10.684, "RA---TAN"
    header.add_comment("first comment")
    header.add_comment("second comment")
    header.add_history("made by a test")
    hdu.writeto(place("cards.fits"))
    describe("cards.fits")
    many = fits.PrimaryHDU(numpy.arange(4, dtype="f4"))
    for i in range(500):
        many.header[f"KEY{i}"] = i
    many.writeto(place("many-cards.fits"))
    describe("many-cards.fits")


def extensions():
    table = fits.BinTableHDU.from_columns([fits.Column("a", "J", array=[1, 2, 3])])
    compressed = fits.CompImageHDU(numpy.arange(400, dtype="i2").reshape(20, 20), name="COMP")
    hdus = [
        fits.PrimaryHDU(),
        fits.ImageHDU(sample("i4", (4, 5)), name="SCI"),
        fits.ImageHDU(sample("f4", (6,)), name="ERR"),
        table,
        fits.ImageHDU(sample("u2", (2, 3)), name="SCI"),
        compressed,
        fits.ImageHDU(sample("f8", (2, 2))),
    ]
    hdus[4].header["EXTVER"] = 2
    fits.HDUList(hdus).writeto(place("extensions.fits"))
    describe("extensions.fits")


def scaled():
    data = rng.integers(-30000, 30000, (6, 7)).astype("i2")
    for name, scale, zero, blank in [("scaled", 0.25, 100.5, -32768), ("offset", 1, 5, None), ("blank", 1, 0, -1)]:
        hdu = fits.PrimaryHDU(data.copy())
        hdu.writeto(place(f"{name}.fits"))
        with fits.open(place(f"{name}.fits"), mode="update", do_not_scale_image_data=True) as file:
            if (scale, zero) != (1, 0):
                file[0].header["BSCALE"], file[0].header["BZERO"] = scale, zero
            if blank is not None:
                file[0].header["BLANK"] = blank
        describe(f"{name}.fits")


def large():
    fits.PrimaryHDU(numpy.arange(3 * 1100 * 1000, dtype="f4").reshape(3, 1100, 1000)).writeto(place("large.fits"))
    describe("large.fits")


def smooth(dtype, shape):
    """A noisy slope, with rows of one value."""
    values = 100 + numpy.add.outer(numpy.arange(shape[0]), numpy.arange(shape[1]) / 3) + rng.normal(0, 4, shape)
    values[1] = 7
    return values.astype(dtype)


def tiled_by_astropy():
    kinds = [("u1", {}), ("i2", {}), ("u2", {}), ("i4", {}), ("u4", {}), ("f4", {}), ("f8", {})]
    kinds += [("f4", {"quantize_level": -0.01}), ("f4", {"quantize_level": 16.0, "quantize_method": -1})]
    kinds += [(f, {"quantize_method": m, "dither_seed": s}) for f in ("f4", "f8") for m, s in ((1, 3), (2, 9999))]
    for method in ["RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1"]:
        for i, (dtype, options) in enumerate(kinds):
            for tile in [None, [9, 4]]:
                if method == "PLIO_1" and (dtype != "i2" or tile) or method == "HCOMPRESS_1" and (i > 1 or tile):
                    continue
                data = smooth(dtype, (13, 21))
                if dtype[0] == "f":
                    data[3, 4:9], data[5] = 0, 0
                    data[6, 2] = numpy.nan
                size = tile or ([21, 13] if method == "HCOMPRESS_1" else None)
                hdu = fits.CompImageHDU(data, name="COMP", compression_type=method, tile_size=size, **options)
                hdu.header["OBJECT"] = "M 31"
                name = f"tiled-{method}-{dtype}-{i}-{'tile' if tile else 'row'}.fits"
                fits.HDUList([fits.PrimaryHDU(), hdu]).writeto(place(name))
                describe(name)
    cube = fits.CompImageHDU(rng.integers(0, 99, (5, 7, 11)).astype("i4"), tile_size=[4, 3, 2])
    line = fits.CompImageHDU(rng.integers(0, 99, 40).astype("i2"), tile_size=[16])
    fits.HDUList([fits.PrimaryHDU(), cube, line]).writeto(place("tiled-ranks.fits"))
    describe("tiled-ranks.fits")


def pack(name, *options):
    """Runs fpack on a file; false if it refuses."""
    command = ["fpack", *options, "-O", place(f"{name}.fits"), place("plain.fits")]
    return subprocess.run(command, capture_output=True).returncode == 0 and os.path.exists(place(f"{name}.fits"))


def packed():
    """Images that fpack compresses, with all of its options."""
    shape = (23, 31)
    floats = smooth("f4", shape)
    floats[4, 5], floats[7:9], floats[10, 3:20] = numpy.nan, 0, 0
    large = numpy.where(smooth("f8", shape) > 110, 1e20, 1.5)
    arrays = {dtype: smooth(dtype, shape) for dtype in ("u1", "i2", "u2", "i4", "u4")}
    arrays["i1"] = smooth("i2", shape).clip(-120, 120).astype("i1")
    arrays |= {"noise": rng.integers(-(2**31), 2**31 - 1, shape).astype("i4"), "noise2": sample("i2", shape)}
    arrays |= {"f4": floats, "f8": floats.astype("f8") * 1e3, "large": large.astype("f4"), "constant": floats * 0 + 5}
    tilings = [[], ["-w"], ["-t", "8,5"]]
    methods = [["-r"], ["-g"], ["-g2"], ["-d"]]
    levels = [[], ["-q", "0"], ["-q0", "4"], ["-qz", "4"], ["-qt", "4"], ["-qzt", "2"], ["-q77", "4"], ["-qz10000", "1"]]
    levels += [["-q", "-0.01"]]
    for kind, data in arrays.items():
        isFloat = data.dtype.kind == "f"
        hdu = fits.PrimaryHDU(data)
        hdu.header["OBJECT"], hdu.header["EXPTIME"] = "NGC 1", 2.5
        hdu.header.add_history("made by a test")
        hdu.writeto(place("plain.fits"), overwrite=True)
        for i, tiling in enumerate(tilings):
            for method in methods:
                for level in levels if isFloat else [[]]:
                    if (method == ["-d"] or i == 1) and level not in ([], ["-q", "0"]):
                        continue
                    if method == ["-d"] and isFloat and numpy.isnan(data).any():  # fpack writes other values
                        continue
                    name = "-".join(["packed", kind, *tiling, *method, *level]).replace("--", "-").replace(",", "x")
                    if pack(name, *tiling, *method, *level):
                        describe(f"{name}.fits")
    fits.PrimaryHDU(smooth("i4", shape) * 300).writeto(place("plain.fits"), overwrite=True)
    for name, options in [("i2f", ["-i2f", "-q", "2"]), ("noise-bits", ["-n", "4"]), ("hcompress", ["-h"]), ("plio", ["-p"])]:
        if pack(f"packed-{name}", *options):
            describe(f"packed-{name}.fits")
    scaled = fits.PrimaryHDU(smooth("i2", shape))
    scaled.writeto(place("plain.fits"), overwrite=True)
    with fits.open(place("plain.fits"), mode="update", do_not_scale_image_data=True) as file:
        file[0].header["BSCALE"], file[0].header["BZERO"], file[0].header["BLANK"] = 0.5, 10.0, 7
    for method in methods:
        if pack(f"packed-scaled{method[0]}", *method):
            describe(f"packed-scaled{method[0]}.fits")
    many = fits.HDUList([fits.PrimaryHDU(smooth("i2", shape)), fits.ImageHDU(floats), fits.ImageHDU(smooth("u1", shape), name="MASK")])
    many.writeto(place("plain.fits"), overwrite=True)
    pack("packed-many")
    describe("packed-many.fits")
    os.remove(place("plain.fits"))


def rebuilt(name, data, change, **options):
    """Compresses an image by RICE_1, changes the columns or the header of its table, and describes it."""
    hdu = fits.CompImageHDU(data, compression_type="RICE_1", **options)
    fits.HDUList([fits.PrimaryHDU(), hdu]).writeto(place(name))
    with fits.open(place(name), disable_image_compression=True) as file:
        header = file[1].header.copy()
        columns = {}
        for column in file[1].columns:
            is_packed = column.name.endswith("COMPRESSED_DATA")
            columns[column.name] = ("PB()" if is_packed else column.format, list(file[1].data[column.name]))
    change(columns, header)
    made = []
    for key, (form, rows) in columns.items():
        array = rows
        if "(" in form:
            array = numpy.empty(len(rows), object)
            array[:] = [numpy.array(row, {"B": "u1", "I": "i2", "E": "f4"}[form[1]]) for row in rows]
        made.append(fits.Column(name=key, format=form, array=array))
    table = fits.BinTableHDU.from_columns(made)
    for card in header.cards:
        if card.keyword.startswith("Z") and card.keyword not in table.header:
            table.header.append(card)
    fits.HDUList([fits.PrimaryHDU(), table]).writeto(place(name), overwrite=True)
    describe(name)


def unusual():
    """Tables that CFITSIO reads, but does not write."""
    integers, floats = smooth("i2", (7, 11)), smooth("f4", (9, 30))
    floats[1] = floats[0] + 1

    def wide(columns, header):
        columns["COMPRESSED_DATA"] = ("QB()", columns["COMPRESSED_DATA"][1])

    def uncompressed(columns, header):
        rows = columns["COMPRESSED_DATA"][1]
        rows[2] = rows[5] = []
        columns["UNCOMPRESSED_DATA"] = ("PI()", [integers[i] if i in (2, 5) else [] for i in range(7)])

    def uncompressed_floats(columns, header):
        columns["COMPRESSED_DATA"][1][3] = []
        columns["UNCOMPRESSED_DATA"] = ("PE()", [floats[i] if i == 3 else [] for i in range(9)])

    def narrow(columns, header):
        header["ZBITPIX"] = 16

    def alias(columns, header):
        header["ZCMPTYPE"] = "RICE_ONE"

    rebuilt("unusual-wide.fits", integers, wide)
    rebuilt("unusual-uncompressed.fits", integers, uncompressed)
    rebuilt("unusual-uncompressed-floats.fits", floats, uncompressed_floats)
    rebuilt("unusual-narrow.fits", integers.astype("i4"), narrow)
    rebuilt("unusual-alias.fits", integers, alias)


def damaged():
    with open(place("f4-2.fits"), "rb") as file:
        data = file.read()
    for name, content, path, message in [
        ("cut-header.fits", data[:2000], "", "ends before"),
        ("cut-data.fits", data[:2900], "PRIMARY", "ends before"),
        ("bad-bitpix.fits", data.replace(b"BITPIX  =                  -32", b"BITPIX  =                  -31"), "", "BITPIX"),
    ]:
        with open(place(name), "wb") as file:
            file.write(content)
        lines.append({"file": name, "path": path, "error": "InvalidMetadata", "message": message})


every_type()
header_cards()
extensions()
scaled()
large()
tiled_by_astropy()
packed()
unusual()
damaged()
write_cases()
