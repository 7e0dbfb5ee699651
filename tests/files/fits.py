"""Writes FITS files with astropy, and their images as astropy reads them.

usage: fits.py OUT
"""

import math
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


def attributes(header, scaled=True):
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


def describe(name, left_out=()):
    members = []
    with fits.open(place(name), do_not_scale_image_data=True, disable_image_compression=True) as file:
        first = attributes(file[0].header)
        for i, hdu in enumerate(file):
            if not isinstance(hdu, (fits.PrimaryHDU, fits.ImageHDU)) or hdu.data is None:
                continue
            own = hdu.header.get("EXTNAME") or ("PRIMARY" if i == 0 else f"HDU{i}")
            member = f"{own}.{i}" if own in members else own
            members.append(member)
            describe_image(name, member, hdu)
    lines.append({"file": name, "path": "", "kind": "group", "members": members, "attributes": first})


def describe_image(name, member, hdu):
    header, data = hdu.header, hdu.data
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
            "attributes": {**attributes(header), **extra},
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
damaged()
write_cases()
