"""Lists what h5py and netCDF4 read in files, in the form of the documents of the library."""
import base64
import json
import os
import struct
import subprocess
import sys

import h5py
import netCDF4
import numpy as np

# ---- What h5py reads

HIDDEN = {"DIMENSION_LIST", "REFERENCE_LIST"}
DIMENSION_ATTRIBUTES = HIDDEN | {
    "CLASS",
    "NAME",
    "DIMENSION_LABELS",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
    "_nc3_strict",
    "_NCProperties",
}
MARKS = ["_NCProperties", "_Netcdf4Dimid", "_Netcdf4Coordinates", "DIMENSION_LIST", "_nc3_strict"]


class Omitted(Exception):
    """The value has no form in JSON."""


def text(value):
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    value = value.split(b"\0")[0]
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def plain(value, dtype):
    """Returns a value of an attribute as JSON."""
    if h5py.check_ref_dtype(dtype) or dtype.kind == "V" and dtype.names is None and not dtype.subdtype:
        raise Omitted
    if dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16):
        raise Omitted
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return [plain(item, base if len(shape) == 1 else np.dtype((base, shape[1:]))) for item in value]
    if dtype.names is not None:
        return {name: plain(value[name], dtype[name]) for name in dtype.names}
    if h5py.check_string_dtype(dtype):
        return text(value)
    base = h5py.check_vlen_dtype(dtype)
    if base is not None:
        return [plain(item, base) for item in value]
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind in "iu":
        return int(value)
    if dtype.kind == "f":
        return float(value)
    if dtype.kind == "c":
        return {"r": float(value.real), "i": float(value.imag)}
    raise Omitted


def nested(value, dtype, rank):
    return plain(value, dtype) if rank == 0 else [nested(item, dtype, rank - 1) for item in value]


def attribute(node, name):
    aid = h5py.h5a.open(node.id, name.encode() if isinstance(name, str) else name)
    if aid.get_space().get_simple_extent_type() == h5py.h5s.NULL:
        return "" if aid.get_type().get_class() == h5py.h5t.STRING else None
    if aid.get_type().get_class() == h5py.h5t.TIME:
        raise Omitted
    return nested(node.attrs[name], aid.dtype, len(aid.shape))


def attributes(node, is_netcdf, dtype=None, is_scale=False):
    hidden = DIMENSION_ATTRIBUTES if is_netcdf or is_scale else HIDDEN if dtype is not None else set()
    found = {}
    for name in node.attrs:
        if name in hidden or (name == "_FillValue" and dtype is not None and dtype.kind in "SU"):
            continue
        try:
            value = attribute(node, name)
        except Omitted:
            continue
        except (OSError, TypeError):
            return None  # h5py cannot read them
        if isinstance(value, list) and len(value) == 1 and h5py.h5a.open(node.id, name.encode()).shape == (1,):
            if is_netcdf or name == "_FillValue":
                value = value[0]
        if name == "_FillValue" and dtype is not None and dtype.kind == "f" and isinstance(value, (int, float)):
            value = float_fill(value)
        found[name] = value
    return found


def float_fill(value):
    """As xarray writes it in Zarr v3."""
    return base64.b64encode(struct.pack("<d", float(value))).decode()


def flags(attrs, dtype):
    names = h5py.check_enum_dtype(dtype)
    if attrs is None or not names or "flag_values" in attrs or "flag_meanings" in attrs:
        return attrs
    meanings = " ".join("_".join(name.split()) for name in names)
    return {**attrs, "flag_values": [int(value) for value in names.values()], "flag_meanings": meanings}


def type_name(dtype):
    """Returns the name of the data type, or None if it is refused."""
    if dtype.subdtype:
        return type_name(dtype.subdtype[0])
    string = h5py.check_string_dtype(dtype)
    if string:
        return "string" if string.length is None else "null_terminated_bytes"
    base = h5py.check_vlen_dtype(dtype)
    if base is not None:
        return "bytes" if base == np.uint8 else None
    if h5py.check_ref_dtype(dtype):
        return "r64" if h5py.check_ref_dtype(dtype) is h5py.Reference else "r96"
    if dtype.names is not None:
        return "struct" if all(fits(dtype[name]) for name in dtype.names) else None
    if dtype.kind == "V":
        return f"r{8 * dtype.itemsize}"
    if dtype.kind in "mM":
        return "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
    return dtype.name if dtype.itemsize <= (16 if dtype.kind == "c" else 8) else None


def fits(dtype):
    """Whether a member of a compound has a fixed width."""
    return type_name(dtype) not in (None, "string", "bytes")


def leaves(dtype):
    if dtype.subdtype:
        return leaves(dtype.subdtype[0])
    if dtype.names is not None:
        return [leaf for name in dtype.names for leaf in leaves(dtype[name])]
    return [dtype]


def orders(dtype):
    return {leaf.str[0] for leaf in leaves(dtype) if leaf.kind not in "SVOb" and leaf.itemsize > 1}


class Writer:
    def __init__(self, out):
        self.out = out
        self.lines = []
        self.count = 0

    def add(self, file, path, **case):
        self.lines.append({"file": file, "path": path, **case})

    def bytes(self, data):
        if len(data) <= 1024:
            return "base64:" + base64.b64encode(data).decode()
        self.count += 1
        name = f"{self.count}.bin"
        with open(os.path.join(self.out, name), "wb") as f:
            f.write(data)
        return name

    def array(self, file, path, data, **case):
        data = np.asarray(data)
        little = np.ascontiguousarray(data.astype(data.dtype.newbyteorder("<")))
        values = self.bytes(little.tobytes())
        self.add(file, path, kind="array", shape=list(data.shape), values=values, **case)

    def save(self):
        with open(os.path.join(self.out, "expected.jsonl"), "w") as f:
            for line in self.lines:
                f.write(json.dumps({key: value for key, value in line.items() if value is not None}) + "\n")


def is_scale(node):
    name = node.attrs.get("CLASS") if "CLASS" in node.attrs else None
    return name in ("DIMENSION_SCALE", b"DIMENSION_SCALE")


def is_bare(node):
    name = node.attrs.get("NAME", b"") if is_scale(node) else b""
    return text(name).startswith("This is a netCDF dimension but not a netCDF variable")


def describe(writer, file, path="", node=None, parents=(), root_netcdf=None):
    """Lists a group and all below, as h5py reads them."""
    if node is None:
        with h5py.File(os.path.join(writer.out, file), "r") as root:
            marked = any(mark in root.attrs for mark in MARKS)
            return describe(writer, file, "", root["/"], (), marked)
    here = h5py.h5o.get_info(node.id).addr
    members = []
    for name in node:
        try:
            kind = node.get(name, getlink=True)
        except TypeError:
            members.append(name)
            writer.add(file, f"{path}/{name}".strip("/"), error="Unsupported", message="links of the type")
            continue
        if isinstance(kind, h5py.ExternalLink):
            members.append(name)
            writer.add(file, f"{path}/{name}".strip("/"), error="Unsupported", message="external link")
            continue
        try:
            member = node[name]
        except KeyError:
            continue  # a soft link without a target
        except Exception as error:
            if isinstance(kind, h5py.SoftLink):
                continue  # a loop
            members.append(name)
            print(f"{file}: {path}/{name}: {error}", file=sys.stderr)
            continue
        if isinstance(member, h5py.Datatype) or isinstance(member, h5py.Dataset) and is_bare(member):
            continue
        address = h5py.h5o.get_info(member.id).addr
        if address == here or address in parents:
            continue
        members.append(name.removeprefix("_nc4_non_coord_"))
        below = f"{path}/{members[-1]}".strip("/")
        if isinstance(member, h5py.Group):
            describe(writer, file, below, member, (*parents, here), root_netcdf)
        else:
            describe_dataset(writer, file, below, member, root_netcdf)
    case = {"members": members, "attributes": attributes(node, root_netcdf)}
    writer.add(file, path, kind="group", **case)


def describe_dataset(writer, file, path, node, root_netcdf):
    refused = refusal(node)
    if refused:
        writer.add(file, path, error="Unsupported", **refused)
        return
    dtype = node.dtype
    is_netcdf = root_netcdf or is_scale(node) or any(mark in node.attrs for mark in MARKS)
    attrs = flags(attributes(node, is_netcdf, dtype), dtype)
    case = {"data_type": type_name(dtype), "attributes": attrs}
    if node.shape is None:
        writer.add(file, path, kind="array", shape=[0], **case)
        return
    if node.size > 10**7:
        writer.add(file, path, kind="array", shape=list(node.shape), **case)
        return
    try:
        data = node[()]
    except (OSError, TypeError) as error:
        print(f"{file}: {path}: {error}", file=sys.stderr)
        return
    if case["data_type"] == "string":
        items = np.asarray(data, object).ravel()
        strings = [text(item) for item in items]
        writer.add(file, path, kind="array", shape=list(node.shape), strings=strings, **case)
    elif case["data_type"] == "bytes" or h5py.check_ref_dtype(dtype):
        writer.add(file, path, kind="array", shape=list(node.shape), **case)
    elif h5py.check_string_dtype(dtype) and node.id.get_type().get_strpad() == h5py.h5t.STR_SPACEPAD:
        width = dtype.itemsize
        raw = b"".join(bytes(item).ljust(width) for item in np.asarray(data).ravel())
        writer.add(file, path, kind="array", shape=list(node.shape), values=writer.bytes(raw), **case)
    else:
        writer.array(file, path, data, **case)


def refusal(node):
    """Returns the expected message if the dataset is refused."""
    if node.is_virtual:
        return {"message": "virtual dataset"}
    if node.external:
        return {"message": "other files"}
    if node.id.get_type().get_class() == h5py.h5t.TIME:
        return {"message": "time"}
    try:
        node.dtype
    except TypeError:
        return {"message": "are not read"}
    if type_name(node.dtype) is None or len(orders(node.dtype)) > 1:
        return {"message": "are not read"}
    return None


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{' '.join(command)}: {done.stderr[:500]}", file=sys.stderr)
    return done.returncode == 0


# ---- What netCDF4 reads


def describe_netcdf(writer, name):
    with netCDF4.Dataset(os.path.join(writer.out, name)) as root:
        root.set_auto_maskandscale(False)
        root.set_always_mask(False)
        root.set_auto_chartostring(False)
        describe_netcdf_group(writer, name, "", root)


def describe_netcdf_group(writer, name, path, group):
    members = [*group.variables, *group.groups]
    writer.add(name, path, kind="group", members=members, attributes=netcdf_attributes(group, None))
    for label, variable in group.variables.items():
        describe_variable(writer, name, f"{path}/{label}".strip("/"), variable)
    for label, below in group.groups.items():
        describe_netcdf_group(writer, name, f"{path}/{label}".strip("/"), below)


def describe_variable(writer, name, path, variable):
    kind = variable.datatype
    dimensions = list(variable.dimensions) or None
    if isinstance(kind, netCDF4.VLType) and variable.dtype is not str:
        writer.add(name, path, error="Unsupported", message="variable length")
        return
    dtype = None if variable.dtype is str else variable.dtype
    attrs = netcdf_attributes(variable, dtype)
    if isinstance(kind, netCDF4.EnumType):
        attrs["flag_values"] = [int(value) for value in kind.enum_dict.values()]
        attrs["flag_meanings"] = " ".join(kind.enum_dict)
    case = {"attributes": attrs, "dimensions": dimensions}
    data = variable[...]
    if variable.dtype is str:
        strings = [str(item) for item in np.asarray(data, object).ravel()]
        writer.add(name, path, kind="array", shape=list(variable.shape), strings=strings, data_type="string", **case)
    elif dtype == "S1" and has_text(variable):
        data = np.ascontiguousarray(data)
        joined = data.view(f"S{data.shape[-1]}")[..., 0]
        case["dimensions"] = dimensions[:-1] or None
        values = writer.bytes(data.tobytes())
        writer.add(name, path, kind="array", shape=list(joined.shape), values=values, data_type=type_name(dtype), **case)
    else:
        writer.array(name, path, data, data_type=type_name(dtype), **case)


def has_text(variable):
    """Whether characters along the last dimension are one element, as xarray reads them."""
    if variable.ndim == 0 or variable.get_dims()[-1].isunlimited():
        return False
    chunks = variable.chunking()
    return chunks == "contiguous" or chunks[-1] == variable.shape[-1]


def netcdf_attributes(node, dtype):
    found = {}
    for name in node.ncattrs():
        value = node.getncattr(name)
        if name == "_FillValue" and dtype == "S1":
            continue  # xarray cannot open arrays of fixed-length strings that have one
        if isinstance(value, str) or isinstance(value, list):
            found[name] = value
            continue
        array = np.asarray(value)
        found[name] = nested(array, array.dtype, array.ndim)
        if name == "_FillValue" and dtype is not None and dtype.kind == "f":
            found[name] = float_fill(value)
    return found
