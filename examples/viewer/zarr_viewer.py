"""The viewer in a notebook: pip install anywidget.

>>> from zarr_viewer import ZarrViewer
>>> viewer = ZarrViewer(src="https://example.org/data/image.zarr", colormap="magma")
>>> viewer                      # shows it
>>> viewer.pointed              # {"index": [12, 40], "text": "7"}
"""

import anywidget
import traitlets


class ZarrViewer(anywidget.AnyWidget):
    """Attributes of <zarr-viewer>; `view` and `pointed` follow the user's actions."""

    # On any server that sends CORS headers, with zarr-wasm beside zarr-wasm-viewer.
    _esm = "https://cdn.jsdelivr.net/npm/zarr-wasm-viewer/dist/anywidget.min.js"

    src = traitlets.Unicode().tag(sync=True)
    path = traitlets.Unicode("").tag(sync=True)
    variable = traitlets.Unicode("").tag(sync=True)
    axes = traitlets.List(default_value=[]).tag(sync=True)
    select = traitlets.Unicode("").tag(sync=True)
    channels = traitlets.Unicode("").tag(sync=True)
    colormap = traitlets.Unicode("").tag(sync=True)
    range = traitlets.List(default_value=[]).tag(sync=True)
    controls = traitlets.Unicode("full").tag(sync=True)
    link = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Unicode("").tag(sync=True)
    view = traitlets.Dict(default_value={}).tag(sync=True)
    pointed = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
