/**
 * English texts of the interface, in sections by subject; sections and keys in alphabetical order. Names and numbers
 * are formatted by the caller, except counts. Parts of the viewer load whole sections.
 */
import { formatCount } from "./locale.js";

export const english = {
  advice: {
    fits: "Chunks suit this view: most decoded data are visible.",
    large: (each: string, times: number) =>
      `Chunks of ${each} hold ${times} times the data in this view: smaller chunks in shards could be read in part.`,
    many: (chunks: number, each: string) =>
      `${formatCount(chunks)} chunks of ${each} need one request each: larger chunks or shards would need fewer.`,
    slices: (shape: string, depth: number, shown: number, flat: string, fewer: number, isSharded: boolean) =>
      `Chunks of ${shape} hold ${depth} slices, of which this view shows ${shown === 1 ? "one" : shown}: chunks of ${flat} would need ${fewer} times fewer bytes for a slice${isSharded ? "" : ", but more requests for a stack, unless they are sharded"}.`,
    unscaled: (elements: number) =>
      `Every pixel covers at least ${elements} elements, which must all be read: a multiscale image (OME-Zarr) would need only a smaller copy.`,
  },

  axes: {
    columns: "Columns",
    first: (axis: string) => `First index shown along ${axis}`,
    horizontal: "Horizontal axis",
    last: (axis: string) => `Last index shown along ${axis}`,
    part: "Part shown",
    rows: "Rows",
    swap: "Swap rows and columns",
    title: "Axes and part shown",
    vertical: "Vertical axis",
  },

  channelPanel: {
    colour: (name: string) => `Colour of ${name}`,
    common: "The same range for all channels",
    more: "More channel settings",
    name: (number: number, label: string) => `channel ${number}, ${label}`,
    settings: (name: string) => `Limits and gamma of ${name}`,
    show: (name: string) => `Show ${name}`,
    title: "Channels",
    together: "All channels in one picture",
    which: (name: string) => `Which channel is ${name}`,
  },

  channels: {
    channel: (index: number) => `Channel ${index}`,
    primaries: ["Red", "Green", "Blue", "Opacity"],
  },

  code: {
    archive: "zarr-python cannot open a zip archive by its address",
    files: "zarr-python cannot open files of other formats",
    order: "zarr-python has no option for this order of elements",
    pipeline: "zarr-python cannot open a URL pipeline",
    v1: "zarr-python no longer reads Zarr v1, so there is no Python for it",
  },

  collections: {
    auxiliary: (count: number) => `Coordinates and auxiliary arrays (${formatCount(count)})`,
    fields: "Fields of view",
    group: "Group",
    images: "Images",
    labels: "Labels",
    plots: "Scatter plots",
    titled: (title: string, count: number) => `${title} (${formatCount(count)})`,
    variables: "Variables",
  },

  columns: {
    cancel: "Cancel",
    failed: (name: string, why: string) => `The column ${name} could not be read: ${why}.`,
    progress: (name: string, percent: number, size: string) => `Reading ${name}: ${percent} % of ${size}.`,
    read: (size: string) => `Read ${size}`,
    unknown: (name: string) =>
      `The column ${name} cannot be shown: it does not exist, or is of an unknown kind.`,
    unread: (name: string, why?: string) =>
      `${name} has not been read${why === undefined ? "" : `: ${why}`}.`,
  },

  commands: {
    find: "Find a control or an action",
    list: "Controls and actions",
    title: "Commands",
  },

  complexParts: {
    imaginary: "Imaginary part",
    magnitude: "Magnitude",
    phase: "Phase",
    real: "Real part",
  },

  compose: {
    unlisted:
      "No image or labels of this SpatialData were found: the server does not list folders, and no metadata name them. Open an element by its path, such as images/NAME, or write consolidated metadata with sdata.write_consolidated_metadata().",
  },

  compute: {
    cancel: "Cancel",
    formula: "Formula of data and other variables",
    label: (kind: string, name: string, over: string) => `${kind} of ${name} (${over})`,
    noAxis: (name: string, names: readonly (string | null)[]) =>
      `There is no axis "${name}": the axes are ${names.join(", ")}`,
    noVariable: (name: string) =>
      `There is no variable "${name}" beside the opened one, which is called data`,
    notSlice: (text: string) => `"${text}" is not a slice: write data[time=5], with a number from 0`,
    operation: "Operation",
    operations: {
      mean: "Mean",
      min: "Minimum",
      max: "Maximum",
      std: "Standard deviation",
      anomaly: "Anomaly (difference from the mean)",
      month: "Anomaly from the mean of each month",
    },
    original: "Show the original variable",
    over: "Over the axis",
    partial: "The picture shows a part of the result until all of it is computed.",
    progress: (name: string, share: number) => `Computing ${name}: ${Math.floor(100 * share)} %`,
    run: "Compute",
    runFormula: "Compute the formula",
    singleNumber: "The result is a single number: choose an array of two axes or more",
    syntax: (text: string) =>
      `"${text}" cannot be computed: write mean:, min:, max: or std: and the name of an axis, anomaly:time or anomaly:time.month, or expr: and a formula of data and other variables`,
    title: "Compute",
  },

  cost: {
    decoded: "Decoded",
    failed: (reason: string) => `The measurement failed: ${reason}.`,
    inChunks: (bytes: string, chunks: string, count: number) =>
      `${bytes} in ${chunks} ${count === 1 ? "chunk" : "chunks"}`,
    inView: "In view",
    measure: "Measure reading",
    measured: (cost: {
      requests: number;
      bytes: string;
      decoded: string;
      time: string;
      decodeTime: string;
      isStoreSlow: boolean;
    }) => {
      const asked = `${cost.requests} ${cost.requests === 1 ? "request" : "requests"} returned ${cost.bytes}`;
      const slow = cost.isStoreSlow
        ? "The store took longer than decoding."
        : "Decoding took longer than the store.";
      return `The middle of the view: ${asked} for ${cost.decoded}; ${cost.time} in total, including ${cost.decodeTime} for decoding on one thread. ${slow}`;
    },
    measuring: "Measuring…",
    title: "Reading",
    visible: "Visible",
  },

  crumbs: {
    browse: "Browse",
    gap: (count: number) => (count === 1 ? "1 more group" : `${formatCount(count)} more groups`),
    list: "List the nodes of this group",
    listOthers: "List the other nodes of this group",
    open: (name: string) => `Open ${name}`,
    title: "Breadcrumb",
  },

  curve: {
    default: "Default",
    defaultOf: (channel: string) => `Default opacity${channel}`,
    help: "Double-click adds a point, or removes it; arrow keys move a point, Delete removes it",
    point: (number: number, channel: string, percent: number, opacity: string) =>
      `Point ${number}${channel}, ${percent} % of the range: opacity ${opacity}`,
    title: "Opacity by value",
    titleOf: (channel: string) => `Opacity by value${channel}`,
  },

  dialogs: {
    close: "Close",
  },

  dock: {
    controls: "Controls",
    title: "View and array",
  },

  drop: {
    failed: (name: string, why = "it could not be read") => `${name} cannot be opened: ${why}.`,
    geoJson: (name: string) =>
      `${name} is drawn over an image: open the image first, then add the address of ${name} in the panel Layers, or drop the file onto the panel Regions to measure its shapes.`,
    loose: (name: string) => `${name} is a document of a node, without its folder.`,
    part: (name: string) => `${name} is a part of a Zarr node: drop the folder that it is in.`,
    tooLarge: (name: string) => `${name} is too large for a file of references.`,
  },
  /** What users can check after an error. */
  errorAdvice: {
    byte: "At byte",
    chunk: "Chunk",
    codec: "Codec",
    codecs:
      "The array’s codecs cannot decode the stored bytes: the chunk may be truncated, damaged, or written with settings other than those in the metadata.",
    cors: (origin: string) =>
      `A server other than this page’s own must allow it (CORS): its answers need the header Access-Control-Allow-Origin: *${origin === "" ? "" : ` (or ${origin})`}.`,
    details: "Details",
    error: "Error",
    expired: "The server refuses access: the data may be private, or a signed address may have expired.",
    feature: "Nothing is wrong with the address. A program that knows this feature can read the array.",
    file: "The file may be truncated, damaged or still being written.",
    fineAddress: "Nothing is wrong with the address.",
    incomplete: "The server responded, but the stored data are incomplete.",
    invalid: "The metadata document exists, but does not conform to the Zarr specification.",
    missing: "Some object stores answer 403 for missing objects.",
    mixed:
      "This page came over https, so the browser refuses to read from an http address: try it with https://.",
    others: "Other chunks can still be viewed.",
    place:
      "The address must be that of a file, or of the folder that holds the array’s metadata (meta for Zarr v1) beside the chunks.",
    policy:
      "The page’s policy must allow WebAssembly ('wasm-unsafe-eval'), and the .wasm file must be at the URL that the page requests.",
    question: "Is the address right, and does its server answer?",
    ranges:
      "For parts of files its answers to OPTIONS need Access-Control-Allow-Headers: Range, and all answers Access-Control-Expose-Headers: Content-Range, ETag.",
    requests: "The server limits the number of requests. Wait a moment, then try again.",
    server: "The server does not serve this address correctly.",
    simd: "The browser must support WebAssembly SIMD, as all current ones do.",
    smaller: "If the selection exceeds the limit, view a smaller part.",
    smallerChunks: "Chunks are read as a whole; a copy of the array with smaller chunks can be viewed.",
    source: "Source",
    spelling: "Check the spelling and capital letters. An address on another server begins with https://.",
    status: "HTTP status",
    temporary: "The server failed. The error may be temporary: try again.",
    together: "All files of a set must lie in one folder, or be dropped together.",
    usage: "Enter the address of a Zarr array, such as https://example.org/data/array.zarr.",
    webPage:
      "The server sent a web page instead of data: check the address, and whether the server requires a login.",
    zip: "The file may be truncated or damaged, or not a zip archive.",
  },

  errors: {
    archive: "The archive cannot be read",
    chunk: "A chunk could not be read",
    damagedChunk: (name: string) => `Chunk ${name} is damaged`,
    damagedFile: "The file is damaged",
    titles: {
      NotFound: "There is no Zarr array here",
      InvalidMetadata: "The array’s metadata is not valid",
      UnknownCodec: "The array uses an unknown codec",
      Unsupported: "The array uses an unsupported feature",
      CorruptChunk: "A chunk is damaged",
      InvalidSelection: "The view does not fit the array",
      InvalidArgument: "The source cannot be used",
      Network: "The source could not be read",
      LimitExceeded: "A limit is exceeded",
      EngineFailed: "The WebAssembly decoder could not be started",
      FutureVersion: "The data use a newer format version",
      NotAllowed: "Access to the data is not allowed",
      SourceChanged: "A source file has changed",
    },
    unknown: "Something went wrong",
    unreadChunk: (name: string) => `Chunk ${name} could not be read`,
    unsupportedFile: "The file cannot be shown",
    unwritten: "The store could not be written",
  },

  facts: {
    attributes: (count: string) => `Attributes (${count})`,
    chunkCount: (count: string, bytes: string | undefined) =>
      bytes === undefined ? count : `${count}, each ${bytes}`,
    chunkShape: "Chunk shape",
    chunks: "Chunks",
    codecs: "Codecs",
    dimensions: "Dimensions",
    dtype: "Data type",
    fillValue: "Fill value",
    format: "Zarr format",
    longer: "The attributes are longer than shown here.",
    noFill: "none (reads as zeros)",
    shape: "Shape",
    shardShape: "Shard shape",
    size: "Size",
    title: "Facts about the array",
  },

  features: {
    embeddings: "Embeddings",
    values: (count: number) => `${count} values`,
  },

  figure: {
    axis: "Axis",
    cancel: "Cancel",
    cancelled: "Cancelled",
    copied: (name: string) => `${name} is in the clipboard`,
    copy: "Copy",
    drawing: "Drawing…",
    failed: (reason: string) => `The figure could not be made: ${reason}.`,
    format: "Format",
    heading: "Figure",
    height: "Height",
    noClipboard: "this page cannot use the clipboard; save the figure instead",
    noRecorder: (format: string) => `This browser cannot record ${format} videos.`,
    ownHeight: "that of the content",
    progress: (done: number, total: number, perSecond: string) =>
      `Recorded ${done} of ${total} slices, ${perSecond} per second`,
    rate: "Slices per second",
    recorded: "Slices recorded",
    resolution: "Resolution, pixels per inch",
    save: "Save",
    scaleBar: "Scale bar",
    size: (width: number, height: number | undefined) =>
      height === undefined ? `${width} pixels wide` : `${width} × ${height} pixels`,
    slow: "reading the data of the figure takes too long",
    title: "Title",
    unit: "Unit",
    units: { mm: "mm", in: "inches", px: "CSS pixels" },
    unreadable: "the data of the figure cannot be read",
    video: (format: string) => `Video (${format})`,
    width: "Width",
    wrongRate: "A second must have 1 to 60 slices.",
    wrongResolution: (least: number, most: number) =>
      `The resolution must be ${least} to ${most} pixels per inch.`,
    wrongSize: (least: number, most: number, unit: string) =>
      `Width and height must be ${least} to ${most} ${unit}.`,
  },

  format: {
    axis: (number: number) => `axis ${number}`,
    axisNamed: (name: string, number: number) => `${name} (axis ${number})`,
    byteString: (length: number) => `byte string of ${length}`,
    bytes: "bytes",
    bytesInAll: (shown: string, length: number) => `${shown} … (${length} bytes)`,
    characters: (length: number) => `text of ${length} characters`,
    inAll: (length: number) => `… (${length} in all)`,
    rawBytes: (length: number) => `${length} raw bytes`,
    since1970: (count: string) => `${count} since 1970`,
    single: "a single value",
    units: "units",
  },

  gallery: {
    fields: {
      microscopy: "Microscopy",
      "single cells": "Single cells",
      "weather and climate": "Weather and climate",
    },
    publicData: "Public data",
    publicDataNote:
      "Other people’s data, by address: it may have moved, and its servers may not let this page read it.",
    smallArrays: "Small arrays",
    testData: "Test data",
    welcome:
      "Enter the address of a Zarr array or group, or of a NetCDF, HDF5, TIFF or FITS file, or drop a folder or files here. Other servers must allow pages to read from them (CORS); files of this machine are sent nowhere.",
  },

  genes: {
    descends: (path: string) => `/${path} does not ascend`,
    first: "Gene",
    layer: "Layer of the matrix",
    lengths: (one: string, other: string) => `/${one} and /${other} differ in length`,
    log: "Logarithm of 1 + value",
    missing: (name: string) => `it has no gene ${name}`,
    more: "Second gene, layer and logarithm",
    noColumn: (path: string, column: number) => `the matrix of /${path} has no column ${column}`,
    noMatrix: (path: string) => `/${path} is not a matrix`,
    noMatrixOf: (path: string, rows: string) => `/${path} is not a matrix of ${rows} rows`,
    noNames: "its table has no names of genes",
    outside: (path: string, rows: string) => `/${path} has an index that is not one of ${rows} rows`,
    placeholder: "name",
    second: "Second gene",
    spread: (size: string) =>
      `its values are spread over up to ${size}, because the matrix is stored by cells`,
    uncovered: (path: string, data: string) => `/${path} does not cover the elements of /${data}`,
    unknown: (name: string) => `There is no gene ${name}.`,
    unreadable: "The names of the genes could not be read.",
  },

  help: {
    axes: [
      [".  ,", "Next and previous slice along the last axis used"],
      ["Space", "Play the slices, or stop"],
    ],
    axis: (name: string) => `Next and previous ${name}`,
    axisKeys: (key: number) => `${key}, Shift + ${key}`,
    labels: [["Click, Enter", "Select a label; again to deselect it"]],
    more: [
      ["Ctrl + K, ⌘ K", "Find a control or an action"],
      ["F", "Full screen"],
      ["S", "Save as PNG"],
      ["?", "These keys"],
    ],
    moving: [
      ["Ctrl + drag", "Move the picture, with any tool"],
      ["Wheel, pinch, double click", "Zoom"],
      ["+  −", "Zoom in and out"],
      ["0", "Fit the whole slice"],
      ["Shift + drag", "Zoom into a rectangle, with any tool"],
    ],
    points: [
      ["Arrow keys, Page Up, Page Down", "Move to the next point in their direction"],
      ["Home, End", "Move the cursor to the left or right edge"],
      ["Click, Enter", "Select a point; again to deselect it"],
      ["Esc", "Hide the cursor"],
    ],
    reading: [
      ["Arrow keys", "Move the cursor and read values; 10 elements with Shift"],
      ["Page Up, Page Down", "Move by 16 rows"],
      ["Home, End", "First and last column"],
      ["Click, Enter, drag the crosshair", "Choose the element of all panes"],
      ["Esc", "Hide the cursor"],
    ],
    rows: [
      ["Arrow keys, Page Up, Page Down", "Move along the rows"],
      ["Ctrl + Home, Ctrl + End", "First and last row"],
      ["Digits", "Go to a row by its number"],
      ["Click, Enter, Space", "Select a row; again to deselect it"],
    ],
    sections: {
      labels: "Labels",
      more: "More",
      moving: "Moving",
      points: "Points",
      reading: "Reading values",
      rows: "Rows of the table",
      slices: "Slices",
      tools: "Tools",
      volume: "Volume",
    },
    tools: (isPlot: boolean) => [
      ["H", "Move the picture by dragging"],
      ["Z", "Zoom into a rectangle: drag, or click two corners"],
      [
        "P",
        isPlot ? "Keep the cursor at a place" : "Pick an element: its value is followed through the slices",
      ],
      ["M", "Measure a distance: drag, or click two points"],
      ["Enter", "Use the tool at the cursor"],
      ["Esc", `Cancel, clear the measurement or the picked ${isPlot ? "place" : "element"}`],
    ],
    volume: [
      ["Arrow keys, drag", "Turn"],
      ["Shift + drag, Shift + arrow keys, two fingers", "Move"],
      ["Wheel, pinch, +  −", "Zoom"],
      ["A face of the cube, X, Y, Z", "Look along an axis; with Shift from its other end"],
      ["V", "Parallel or perspective projection"],
      ["0, double click", "Default camera"],
      ["C", "Cut parallel to the screen, or remove the cut"],
      ["[  ]", "Move the cut"],
      ["Pointer", "Read the value"],
      ["Click, Enter", "Use the tool on the element under the pointer, or in the middle"],
      ["H", "Tool: choose the element and its label"],
      ["P", "Tool: keep the cursor at the element"],
      ["M", "Tool: measure between two elements"],
      ["Esc", "Clear the measurement, let the cursor go, or hide the value"],
    ],
  },

  histogram: {
    all: (count: string, interval: string) => `All ${count} of the slice: ${interval}`,
    count: (count: string, hasMissing: boolean) => `${count} ${hasMissing ? "elements" : "values"}`,
    interval: (low: string, high: string) => `${low} to ${high}`,
    limits: [(name: string) => `Lower limit of ${name}`, (name: string) => `Upper limit of ${name}`] as const,
    of: (name: string) => `Histogram of ${name}`,
    some: (count: string, interval: string) =>
      `${count} read, not all of the slice; 98 % of them from ${interval}`,
  },
  /** Why a layer or a table cannot be shown; they follow a colon. */
  invalidLayer: {
    arrayElements: (path: string, most: string) => `/${path} has more than ${most} elements`,
    arrayNumbers: (path: string) => `/${path} does not hold numbers`,
    bytes: (most: number) => `its files have more than ${most} bytes`,
    columnLength: "a column has another length",
    coordinates: (feature: number) => `feature ${feature} has coordinates that are not a list`,
    deep: (most: number) => `its geometries are nested more than ${most} deep`,
    elements: (most: string) => `it has more than ${most} elements`,
    features: (most: string) => `it has more than ${most} features`,
    geometry: (feature: number) => `feature ${feature} has a geometry of an unknown type`,
    infinite: "its coordinates are not finite numbers",
    list: (path: string) => `/${path} is not a list`,
    noFeatures: "its features are not a list",
    noFile: (name: string) => `${name} does not exist`,
    noGeoJson: "it is not GeoJSON: expected a FeatureCollection",
    noIndex: "it has no index",
    noJson: (why: string) => `it is not JSON: ${why}`,
    noNumbers: "its columns x and y are not numbers",
    noPairs: (name: string) => `${name} does not have two or three columns`,
    noPlaces: "its points have no columns x and y",
    noPositions: "it has no positions obsm/spatial",
    noWkb: (column: string) => `its column ${column} is missing or not in WKB`,
    offsets: "the offsets of its polygons do not ascend",
    rows: (most: string) => `it has more than ${most} rows`,
    shape: (path: string, shape: string) => `/${path} has the shape ${shape}`,
    shapes: "its shapes are of an unknown type",
    vertices: (most: string) => `it has more than ${most} vertices`,
  },

  labels: {
    hidden: "Hidden labels",
    none: "None",
    opacity: "Opacity of labels",
    over: "Over the image",
    placeholder: "none",
    selected: "Selected labels",
    title: "Labels",
  },

  layerErrors: {
    direction: (axis: string | number) => `its axis ${axis} runs in the other direction`,
    geometry: "it has a damaged geometry",
    geometryType: (type: number) => `it has geometries of the unknown type ${type}`,
    missing: "the file does not exist",
    nested: (depth: number) => `its geometries are nested more than ${depth} deep`,
    noAxis: (axis: string | number) => `it has no axis ${axis}`,
    noImage: "it contains no single image",
    noInverse: "its transformation has no inverse",
    turned: "its metadata turn it out of the plane of rows and columns",
  },

  layerNotes: {
    failed: (name: string, reason: string) => `The layer ${name} cannot be shown: ${reason}.`,
    leftOut: (name: string, leftOut: number, count: number) =>
      `The layer ${name} lacks ${formatCount(leftOut)} of ${formatCount(count)} features: their coordinates are not finite numbers.`,
    retry: "Try again",
  },

  layers: {
    add: "Add",
    additive: "Additive",
    address: "Add a layer",
    addressHint: "URL of Zarr or GeoJSON",
    blending: "Blending",
    color: "Colour",
    label: "Label",
    layer: (name: string) => `Layer ${name}`,
    lower: (name: string) => `Lower ${name}`,
    none: "None",
    normal: "Normal",
    opacity: "Opacity",
    pictureOpacity: "Opacity of the picture",
    raise: (name: string) => `Raise ${name}`,
    remove: "Remove",
    size: "Size, px",
  },

  legend: {
    above: "Values above the range",
    below: "Values below the range",
    channels: "Channels",
    empty: "(empty)",
    infinite: (count: number) =>
      count === 1 ? "1 element is infinite" : `${formatCount(count)} elements are infinite`,
    labels: "Every label has its own colour; 0 is the background",
    layers: "Colours of layers",
    log: "Logarithmic scale",
    missing: (count: number) =>
      count === 1
        ? "1 element is missing (chequered)"
        : `${formatCount(count)} elements are missing (chequered)`,
    more: (count: string) => `and ${count} more`,
    noValue: "no value",
    notNumbers: (count: number) =>
      count === 1
        ? "1 element is not a number (chequered)"
        : `${formatCount(count)} elements are not numbers (chequered)`,
    notStored: "Chunk is not stored",
    own: "Colours of your own",
    sampled: (colormap: string, slices: number | undefined, all: string) =>
      `${colormap}; one range for all slices, from ${slices === undefined ? `all ${all}` : `${slices} of ${all}`}`,
    symlog: "Symmetric logarithmic scale",
  },

  listing: {
    more: (count: number) => `The server lists ${formatCount(count)} more folders, which were not checked.`,
    tried: (count: number) =>
      `The server does not list folders, and there is no consolidated metadata: only ${count === 1 ? "one name" : `${count} names`} in common use were tried; others may exist.`,
  },

  main: {
    chunks: "Chunks read",
    controls: "Picture",
    points: (count: number) => `${formatCount(count)} points`,
    progress: (chunks: number, total: number, bytes: string) => `${chunks} of ${total} chunks, ${bytes}`,
    title: "Slice",
    waiting: (status: string) => `${status} Still waiting after 10 s: the source is slow or not responding.`,
  },

  maps: {
    areas: "Equal Earth: true areas",
    cell: (id: number) => `cell ${id}`,
    coasts: "Coastlines",
    degrees: "Longitude and latitude",
    east: "E",
    elements: "Elements",
    equalCells: "As equal cells",
    globe: "Globe",
    graticule: "Meridians and parallels",
    map: "Map",
    mercator: "Mercator",
    meridian: "Longitude at the middle, degrees east",
    meridianHint: "as stored",
    noPosition: "no position",
    noTime: "no time",
    north: "N",
    northPole: "Around the north pole",
    ofCoordinates: "At their coordinates",
    onMap: "On a map",
    parallel: "Latitude at the middle, degrees north",
    parallelHint: "of the data",
    since1970: (milliseconds: string) => `${milliseconds} ms since 1970`,
    south: "S",
    southPole: "Around the south pole",
    stored: "As stored",
    title: "Places and panes",
    unreadPlaces: (reason: string) => `The places of the cells could not be read: ${reason}.`,
    west: "W",
  },

  measure: {
    clear: "Clear the measurement",
    clearKey: "Clear (Esc)",
  },

  memory: {
    keep: "Keep data for later visits",
    limit: "Memory for cached data",
    offline: "Work offline, with kept data only",
    title: "Memory",
    used: (bytes: string) => `${bytes} in use`,
  },
  /** Kinds of nodes by their names in the viewer. Others are names of conventions. */
  nodes: {
    array: "array",
    "data frame": "data frame",
    folder: "folder",
    group: "group",
    images: "images",
    labels: "labels",
    "multiscale image": "multiscale image",
    plate: "plate",
    scene: "scene",
    well: "well",
  },

  opening: {
    busy: "Opening…",
    noSource: "Nothing to show yet: set the attribute src to the URL of a Zarr array or group.",
    refused: "The source cannot be used",
  },

  page: {
    address: "Address of a Zarr array or group",
    clearRecent: "Clear this list",
    drop: "Drop a folder, a zip archive or a file to see it",
    file: "File…",
    fileInput: "Files: zip archives, TIFF, HDF5, NetCDF",
    fileTitle: "Open a zip archive, a TIFF, HDF5 or NetCDF file of this machine. Nothing is sent anywhere.",
    folder: "Folder…",
    folderInput: "A folder of Zarr",
    folderTitle: "Open a folder of this machine. Nothing is sent anywhere.",
    moved: (name: string) => `${name} was moved or deleted.`,
    noRecent: "Sources that you open are listed here, in this browser only.",
    notKept: (name: string) =>
      `${name} was opened from this machine, and pages may not keep such files: drop it here again, or choose it.`,
    open: "Open",
    othersDropped: (shown: string, others: readonly string[]) =>
      `Showing ${shown}. Open ${others.join(", ")} alone to see it.`,
    recent: "Recent",
    recentPlace: { file: "Archive of this machine", directory: "Folder of this machine" },
    title: "zarr-wasm viewer",
    titleOf: (name: string) => `${name} – zarr-wasm viewer`,
  },

  panels: {
    auto: "auto",
    colorBy: "Colour by",
    colorMap: "Colour map",
    defaultMap: "Default",
    highest: "Highest value of the column",
    lowest: "Lowest value of the column",
    of: (name: string) => ` of ${name}`,
    outermost: "Without the outermost 1 %",
    outlines: "Outlines only",
    remove: (name: string) => `Remove ${name}`,
    to: "to",
    values: "Values",
  },

  panes: {
    along: (axis: string, at: string) => `Along ${axis} at [${at}]`,
    depth: "Third axis of the panes",
    none: "None",
    profile: "Profile",
    profileAxis: "Line under the pointer along",
    volume: "Volume beside the panes",
  },

  picture: {
    empty: "The array has no elements: one of its dimensions has length 0.",
    reading: "Reading…",
    role: "picture of an array",
  },

  planes: {
    feature: "feature",
    image: (shape: string) => `Image of a slice of ${shape} elements`,
    label: (subject: string, down: string, across: string) =>
      `${subject}. Down ${down}. Across ${across}. Arrow keys read values.`,
    line: (shape: string, name: string) =>
      `Plot of a line of ${shape} elements. ${name}. Arrow keys read values.`,
    row: "row",
    scatterPlot: (count: string) => `Scatter plot of ${count} points`,
  },

  plate: {
    acquisition: "Acquisition",
    all: "All",
    enlarge: (fields: number) => `Enlarge the wells to see all ${fields} fields of view.`,
    failedWells: (count: number) =>
      count === 1 ? "1 of them could not be read in full." : `${count} of them could not be read in full.`,
    field: "Field of view",
    heading: (count: number) => `A plate with ${count === 1 ? "1 well" : `${formatCount(count)} wells`}`,
    inView: (count: number) => (count === 1 ? "1 well in view." : `${count} wells in view.`),
    onePlane: "none: there is one plane",
    parts: "parts such as field:0, acquisition:1 or size:64",
    reading: "Reading the wells…",
    size: "Size of wells",
    states: {
      read: () => "",
      empty: () => ", no images",
      failed: (why: string) => `, cannot be read: ${why}`,
      partial: (why: string) => `, read in part: ${why}`,
    },
    title: "Plate",
    tooLarge: "the image has no level that is small enough for a plate",
    upTo: (name: string | number, last: number) => `${name}:0 to ${name}:${last}`,
    well: (name: string) => `Well ${name}`,
    wells: "Wells",
  },
  /** Title and description of public data. */
  publicData: {
    beechnut: ["A beechnut by computed tomography", "A volume from a CT scanner, as OME-Zarr 0.5."],
    blastocyst: [
      "A blastocyst’s nuclei",
      "Two channels in 236 planes of a mouse embryo, with labels (idr0062).",
    ],
    blastocyst5: ["A blastocyst’s nuclei, OME-Zarr 0.5", "The same image in Zarr v3, with its labels."],
    brain: ["Cells of a human brain", "Expression of genes in single cells, with a UMAP, as AnnData."],
    chicken: ["A chicken embryo", "A maximum projection of a cleared embryo under a light sheet (idr0066)."],
    era5: ["ERA5, at 1.5°", "ECMWF’s reanalysis every six hours from 1959 to 2022, on a grid of 240 × 121."],
    era5Hourly: [
      "ERA5, at 0.25° every hour",
      "The reanalysis as it is published, with 37 levels of pressure.",
    ],
    fire: ["Risk of fire in forests", "Modelled for the United States."],
    five: ["Five dimensions", "A small example with time, channels and three dimensions of space."],
    forecast: ["Today’s weather forecast", "NOAA’s GFS, the world at 0.25°, updated as it is issued."],
    hela: [
      "A whole cell by electron microscopy",
      "A HeLa cell at 4 nm, by FIB-SEM: thousands of planes at several resolutions.",
    ],
    hela3: ["Another HeLa cell", "The same method at 4 nm, another cell."],
    intestine: [
      "Visium HD, mouse intestine",
      "Spatial transcriptomics: images, shapes and tables as SpatialData.",
    ],
    labels: ["An image with labels", "A small example of labels over an image."],
    liver: ["Liver tissue", "Mouse liver by FIB-SEM."],
    plate: ["A plate of a screen", "Wells and fields of a plate in five channels (idr0033), as HCS layout."],
    plate2: ["A plate of a screen, Zarr v2", "Fission yeast in the wells of a plate (idr0001)."],
    precipitation: [
      "Daily precipitation",
      "The Global Precipitation Climatology Project at 1°, 1996 to 2021.",
    ],
    rain: ["Temperature and rain by month", "A pyramid of map tiles for the web, at six resolutions."],
    sea: ["Sea surface temperature", "NASA’s MUR analysis at 1 km, every day since 2002."],
    weatherBench: ["WeatherBench 2", "ERA5 every six hours at 0.25°, for comparing forecasts."],
    worm: [
      "A whole worm by electron microscopy",
      "Platynereis dumerilii at ten resolutions, terabytes at the finest.",
    ],
  },

  readout: {
    fill: "fill value: the chunk is not stored",
    hint: "Point at the picture or use the arrow keys to read values; ? lists all keys.",
    label: "label",
    level: (level: number) => `level ${level}`,
    missing: "missing",
    noPoint: "no point",
    stored: (value: string) => `stored ${value}`,
    touchHint: "Tap the picture to read values; pinch to zoom.",
    unread: "not read yet",
  },

  refresh: {
    tooMany: (count: number, most: number) =>
      `the selection covers ${count} stored objects; refresh at most ${most} at a time`,
  },

  regions: {
    along: "Series along",
    computing: "Computing…",
    draw: "Draw a region",
    empty: "The region contains no element of the array",
    facts: (mean: string, std: string, min: string, max: string, unit: string, count: string) =>
      `mean ${mean}${unit} · std ${std} · ${min} to ${max} · n ${count}`,
    histogram: (name: string, low: string, high: string) => `Histogram of ${name}, from ${low} to ${high}`,
    holes: "Holes of polygons are filled.",
    kinds: { point: "Point", line: "Line", rectangle: "Rectangle", ellipse: "Ellipse", polygon: "Polygon" },
    label: (image: string, id: number) => `${image === "" ? "label" : image} ${id}`,
    leftOut: (count: number, most: number) =>
      count === 0
        ? "The document has no points, lines or polygons."
        : `${count === 1 ? "1 shape" : `${count} shapes`} cannot be a region: regions are points, lines of two ends, and polygons of up to 2000 vertices; a view has at most ${most}.`,
    lines: "the lines (profile)",
    longLine: (most: number) => `The line has more than ${most} elements: draw a smaller one`,
    nameOf: (name: string) => `Name of ${name}`,
    noLabels: (name: string) => `The picture has no labels ${name}`,
    notCounted: "Elements outside the region and missing values are not counted",
    numbered: (number: number) => `Region ${number}`,
    ofLabels: "Add selected labels",
    open: "Open GeoJSON…",
    openHint: "Or drop a file here, or paste GeoJSON here",
    removeAll: "Remove all",
    save: "Save as GeoJSON",
    saveCsv: "Save as CSV",
    title: "Regions",
    tooLarge: (most: number) => `The region has more than ${most} elements: draw a smaller one`,
    tooLong: (bytes: number) => `it has more than ${bytes} bytes`,
    unreadable: (why: string) => `The GeoJSON cannot be read: ${why}.`,
  },

  related: {
    colormap: (name: string, why: string) => `The colour map ${name} could not be loaded: ${why}.`,
    failed: (subject: string, why: string) => `${subject} cannot be shown: ${why}.`,
    labels: "The labels",
    labelsNamed: (name: string) => `The labels ${name}`,
    layers: "The layers",
    noLabels: "none: the picture has no labels",
    points: "The points",
    positions: (why: string) =>
      `The positions of the elements could not be read: ${why}. They are drawn as equal cells.`,
    table: "The table of the labels",
  },

  rows: {
    clear: "Clear selection",
    colorMap: "Colour map of the column",
    counts: (rows: number, selected: number) =>
      `${formatCount(rows)} rows, ${formatCount(selected)} selected`,
    failed: (reason: string) => `The rows could not be read: ${reason}.`,
    grid: (rows: number, columns: number) => `${formatCount(rows)} rows of ${formatCount(columns)} columns`,
    none: "None",
    reading: "Reading…",
    row: "Row",
    size: "Size of points",
    sizeHint: "automatic",
    title: "Table",
    unfold: "Rows",
  },

  series: {
    element: "element",
    step: (axis: string) => `Step along ${axis}`,
    values: (axis: string, unit: string) => `${axis} · values in ${unit}`,
  },
  /** Values that attributes and settings of addresses accept. */
  settings: {
    another: "another value",
    at: "row, column and pixels per element, and optionally the centre along the third axis",
    axes: "the names or numbers of two axes, such as y,x",
    axis: "the number of an axis, or none",
    between: (least: number | string, most: number | string) => `${least} to ${most}`,
    channels: "a list such as 0:00ff00:auto of channels of the array, or none",
    clip: "start:stop along x, y and z, such as 0:100,20:80,0:64",
    colormap: (names: string) => `${names} and others, or a list of colours such as #000000,#ffffff`,
    column: "the name of a column, or gene:NAME",
    columnMap: "a colour map, as for colormap",
    curve: "2 to 16 ascending shares of the range, each with its opacity, such as 0/0;0.5/0.1;1/1",
    cut: "yaw, pitch and depth from -1 to 1, such as 30,20,0",
    either: (one: string, other: string) => `${one} or ${other}`,
    field: "the name of a field",
    flat: (isLine: boolean) =>
      `the array has ${isLine ? "one dimension" : "two dimensions"}, and volumes need three`,
    index: "an index for every axis",
    labels: "up to 64 labels such as 3,5, or none",
    latitude: "a latitude in degrees, or none",
    layers: (kinds: string) =>
      `layers with src, kind (${kinds}), opacity (0 to 1), blend (normal, add), visible (yes, no), scale, translate, colormap, range, color (#rrggbb), size, by, outlines (yes, no), hide and pick (labels)`,
    lines: "graticule, coasts, both, or none",
    longitude: "a longitude in degrees, or none",
    more: "a JSON object",
    number: "a number, or none",
    orbit: "yaw, pitch and zoom, such as 30,20,1",
    planes: "xy and any of xz, yz and volume, of an array with three axes or more",
    range: "low:high, auto, minmax or percentile",
    rangeObject: '{ mode: "manual", low, high }, or the mode auto, minmax or percentile',
    regions:
      "regions such as Lake=rectangle@1,2:10,20,30,40, of the kinds point, line, rectangle, ellipse and polygon",
    sample: (most: number) => `auto, none, or 0 to ${most} MiB`,
    select: "an index, : or start:stop for every axis, such as 4,:,100:200",
    size: (most: number) => `0 to ${most} CSS pixels`,
    slices: (names: string) => `any of ${names}`,
    steps: (most: number) => `0, or 2 to ${most}`,
    unfit: (setting: string, shape: string, nearest: string) =>
      `${setting} does not fit the array of shape [${shape}]; ${nearest} is shown`,
    unusable: (setting: string, why: string) => `${setting} cannot be used: ${why}`,
  },

  sharing: {
    codeCopied: (language: string) => `${language} code for this view copied to the clipboard.`,
    copyAs: (language: string) => `Copy as ${language}`,
    figure: "Figure…",
    link: "Copy link",
    linkCopied: "Link copied to the clipboard.",
    manual: "Text to copy",
    noClipboard: "This page cannot use the clipboard: copy the text below.",
    onlyHere: "This store exists only in this page; a program cannot read it.",
    png: "Save PNG",
    saved: (name: string) => `${name} is saved.`,
  },

  slices: {
    frameRate: "Play",
    inC: "Read chunks in C order, as zarr-python 1.x wrote them",
    index: (axis: string) => `Index along ${axis}`,
    more: (axes: number) => `${axes} more axes`,
    play: (axis: string) => `Play along ${axis}`,
    rate: (slices: number) => (slices === 1 ? "1 slice per second" : `${slices} slices per second`),
    stop: (axis: string) => `Stop playing along ${axis}`,
  },

  sources: {
    array: "Array",
    arrays: (count: number, used: number) =>
      `The group has ${formatCount(count)} arrays, of which the first ${used} are listed here.`,
    asStored: (problem: string) => `${problem} Values are shown as they are stored.`,
    contains: "This folder is not a Zarr node, but contains some.",
    coordinates: (why: string) => `Coordinates could not be read: ${why}.`,
    coordinatesOf: (name: string, why: string) => `Coordinates of ${name} could not be read: ${why}.`,
    filled: (name: string) =>
      `A coordinate of ${name} equals its fill value. Coordinates cannot be missing, so it is used.`,
    kinds: {
      dataset: "dataset",
      group: "group",
      image: "multiscale image",
      images: "series of images",
      labels: "group of labels",
      levels: "pyramid",
      plate: "plate",
      well: "well",
    },
    levels: (count: number, used: number) =>
      `The image has ${formatCount(count)} levels, of which the first ${used} are used.`,
    missing: (name: string, count: number) =>
      count === 1
        ? `A coordinate of ${name} is missing.`
        : `${formatCount(count)} coordinates of ${name} are missing.`,
    noPlate: "none: the source is not a plate",
    noVariable: "none: there are none",
    noVariables: "none: the source has no variables",
    overPicture: (isPoints: boolean, path: string) =>
      `${isPoints ? "Points" : "Shapes"} are drawn over a picture: open an image, and add ${path === "" ? "this address" : `the path ${path}`} in its panel Layers, or as <zarr-layer>.`,
    unshown: (kind: string, why: string) => `This ${kind} cannot be shown as such: ${why}.`,
  },

  status: {
    chunks: (count: number, formatted: string) => (count === 1 ? "1 chunk" : `${formatted} chunks`),
    leftOut: (tiles: string, all: string) =>
      `${tiles} of ${all} tiles in view exceed the memory budget and are not read. Zoom in to see them.`,
    middle: (chunks: string, bytes: string) =>
      `This is the middle of a slice of ${chunks} (${bytes} when decoded).`,
    moreDamaged: (count: number) => `${count} more could not be read.`,
    moreNotes: (count: string) => `More notes: ${count}.`,
    notes: "Notes",
    order:
      "The metadata says order F, but zarr-python 1.x wrote chunks of this compressor in C order. They are read in F order, as specified; if the picture looks scrambled, try C order.",
    readAll: "Read the whole slice",
    readInC: "Read in C order",
    reading: (chunks: string) => `Reading ${chunks}…`,
    retry: "Try again",
  },

  table: {
    label: (rows: string, columns: number) => `${rows} rows of ${columns} columns`,
    part: (first: number, last: number, length: number) => `${first}–${last} of ${length}`,
    size: (rows: string, columns: number) => `${rows} rows, ${columns} columns`,
    title: (down: string, across: string | undefined) =>
      across === undefined ? `Down ${down}` : `Down ${down}; across ${across}`,
    value: "Value",
    values: "Values",
  },
  /** In the order of the tabs. */
  tabs: {
    image: "Image",
    layers: "Layers",
    axes: "Axes",
    measure: "Measure",
    share: "Share",
  },

  tools: {
    find: "Find a control",
    findKey: "Control+K",
    fit: "Fit",
    fitSlice: "Fit whole slice",
    full: "Full screen",
    help: "Keys and gestures",
    in: "Zoom in",
    measure: "Measure a distance",
    noFull: "This page may not fill the screen",
    out: "Zoom out",
    pan: "Move",
    pick: "Pick an element",
    save: "Save as PNG",
    saved: (name: string) => `${name} is saved`,
    title: "Tool",
    touch: "Use two fingers to move the picture",
    wheel: (isApple: boolean) => `Hold ${isApple ? "⌘" : "Ctrl"} while turning the wheel to zoom`,
    zoom: "Zoom into a rectangle",
  },

  tree: {
    choose: "Choose an array to view it, or a group to open it.",
    count: (members: number) => (members === 1 ? "1 member" : `${formatCount(members)} members`),
    empty: "No members were found in this group.",
    find: "Find by name",
    findMembers: "Find members by name",
    folder: "A folder of Zarr nodes",
    group: "A group",
    groupOf: (kind: string) => `A group: ${kind}`,
    looking: "Looking…",
    members: "Members",
    membersOf: (name: string) => `Members of ${name}`,
    unreadable: "it could not be read",
  },

  unusable: {
    others: (names: string, others: number) => `${names} and ${formatCount(others)} others`,
    value: (setting: string, expected: string) => `${setting} cannot be used; expected ${expected}`,
  },

  values: {
    auto: "Automatic",
    center: "Value at the middle",
    centerHint: "0 where it is inside",
    continuous: "continuous",
    counts: (factor: number, unit: string | undefined) => `counts of ${factor} ${unit}`,
    countsSince: (factor: number, unit: string | undefined) => `counts of ${factor} ${unit} since 1970`,
    field: "Field",
    gamma: "Gamma",
    highest: "Highest value",
    interpolate: "Interpolate between elements",
    kinds: { sequential: "Sequential", diverging: "Diverging", cyclic: "Cyclic" },
    labels: "Labels (one colour each)",
    linear: "Linear",
    log: "Logarithmic",
    logCounts: "Logarithmic counts",
    lowest: "Lowest value",
    manual: "Manual",
    minmax: "Minimum to maximum",
    missing: "Mark chunks that are not stored",
    more: "More colour settings",
    outside: "Mark values outside the range",
    own: "Colours of your own",
    part: "Part",
    percentile: "1st to 99th percentile",
    range: "Value range",
    rawDates: "Raw values, without dates",
    rawNumbers: "Raw values, without scale, offset and missing values",
    reversed: "Reversed",
    scale: "Scale of colours",
    slices: "Find the range for each slice",
    steps: "Steps of colour",
    symlog: "Logarithmic on both sides of 0",
    theValues: "the values",
    title: "Values",
  },

  view: {
    name: "View",
    panes: "Panes",
    plane: "Plane",
    title: "Variable and view",
    volume: "Volume",
  },

  volume: {
    across: (axis: string) => `across ${axis}`,
    clipBox: "Part of the volume",
    clipEnd: (end: 0 | 1, axis: string) => `${end === 0 ? "First" : "Last"} index drawn along ${axis}`,
    clipRange: (first: number, last: number) => `${first} to ${last}`,
    cut: "Cut parallel to the screen",
    cutDepth: "Depth of the cut",
    description: (shape: string) =>
      `Volume of ${shape} elements. Arrow keys turn it, plus and minus zoom, Enter uses the tool on the element in the middle.`,
    failed: (reason: string) => `The volume cannot be shown: ${reason}.`,
    levels: (level: number, count: number) => `Level ${level} of ${count}`,
    modes: {
      max: "Maximum",
      min: "Minimum",
      mean: "Average",
      composite: "Translucent",
      surface: "Surface",
    },
    picture: "picture of a volume",
    range: (low: string, high: string) => `${low} to ${high}`,
    ray: "Along each ray",
    scaleAtCentre: (length: string) => `${length} at the centre`,
    slices: "Slices inside",
    stretch: (axis: string, factor: number) => `Stretch ${axis} × ${factor}`,
    theCut: "the cut",
    title: "Cuts and slices of the volume",
  },
};

/** Texts of a language: strings, lists of strings, and functions of the values that they contain. */
export type Texts = typeof english;

/** Texts of another language; English ones replace those that are missing. */
export type Translation = { readonly [Section in keyof Texts]?: Partial<Texts[Section]> };
