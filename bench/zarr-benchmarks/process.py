# A process that runs one task of the benchmark with zarr-python (2: reads Zarr v2 only) or tensorstore:
#   python3 bench/zarr-benchmarks/process.py LIBRARY THREADS TASK FOLDER [OUTPUT]
import itertools
import json
import os
import sys

library, threads, task, folder = sys.argv[1:5]
output = sys.argv[5] if len(sys.argv) > 5 else None
side = 256


def selections(shape):
    starts = itertools.product(*(range(0, length, side) for length in shape))
    return [tuple(slice(start, start + side) for start in at) for at in starts]


def zarr_python():
    import numpy
    import zarr

    isV2 = zarr.__version__.startswith("2.")
    array = zarr.open(os.path.join(folder, "c") if isV2 else folder, mode="r")
    if task == "read by chunk":
        chunk = numpy.empty((side,) * 3, array.dtype)
        for selection in selections(array.shape):
            array.get_basic_selection(selection, out=chunk) if isV2 else array[selection]
        return
    values = array[:]
    if task != "round trip":
        return
    if isV2:
        options = {"compressor": array.compressor, "dimension_separator": "/", "chunks": array.chunks}
    else:
        options = {"chunks": array.chunks, "shards": array.shards, "compressors": array.compressors}
    create = zarr.create if isV2 else zarr.create_array
    copy = create(store=output, shape=array.shape, dtype=array.dtype, fill_value=0, **options)
    copy[:] = values


def tensorstore():
    import tensorstore as ts

    context = ts.Context({"data_copy_concurrency": {"limit": int(threads)}})
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": folder + "/"}}
    array = ts.open(spec, open=True, context=context).result()
    if task == "read by chunk":
        for selection in selections(array.shape):
            array[selection].read().result()
        return
    values = array.read().result()
    if task != "round trip":
        return
    with open(os.path.join(folder, "zarr.json")) as file:
        metadata = json.load(file)
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": output + "/"}, "metadata": metadata}
    ts.open(spec, create=True, context=context).result().write(values).result()


{"zarr-python": zarr_python, "tensorstore": tensorstore}[library]()
