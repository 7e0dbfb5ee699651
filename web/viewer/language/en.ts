/** English texts of the interface: a section per subject, in alphabetical order. */
export const english = {
  axes: {
    title: "Axes and part shown",
    swap: "Swap rows and columns",
    rows: "Rows",
    columns: "Columns",
    vertical: "Vertical axis",
    horizontal: "Horizontal axis",
    part: "Part shown",
    to: "to",
    first: (axis: string) => `First index shown along ${axis}`,
    last: (axis: string) => `Last index shown along ${axis}`,
  },
  commands: {
    title: "Commands",
    list: "Controls and actions",
    find: "Find a control or an action",
  },
  compute: {
    title: "Compute",
    operations: {
      mean: "Mean",
      min: "Minimum",
      max: "Maximum",
      std: "Standard deviation",
      anomaly: "Anomaly (difference from the mean)",
      month: "Anomaly from the mean of each month",
    },
    operation: "Operation",
    over: "Over the axis",
    run: "Compute",
    formula: "Formula of data and other variables",
    runFormula: "Compute the formula",
    original: "Show the original variable",
    cancel: "Cancel",
    partial: "The picture shows a part of the result until all of it is computed.",
    progress: (name: string, share: number) => `Computing ${name}: ${Math.floor(100 * share)} %`,
    label: (kind: string, name: string, over: string) => `${kind} of ${name} (${over})`,
    syntax: (text: string) =>
      `"${text}" cannot be computed: write mean:, min:, max: or std: and the name of an axis, anomaly:time or anomaly:time.month, or expr: and a formula of data and other variables`,
    noAxis: (name: string, names: readonly (string | null)[]) =>
      `There is no axis "${name}": the axes are ${names.join(", ")}`,
    noVariable: (name: string) =>
      `There is no variable "${name}" beside the opened one, which is called data`,
    notSlice: (text: string) => `"${text}" is not a slice: write data[time=5], with a number from 0`,
    singleNumber: "The result is a single number: choose an array of two axes or more",
  },
  cost: {
    title: "Reading",
    measure: "Measure reading",
    measuring: "Measuring…",
    inView: "In view",
    decoded: "Decoded",
    inChunks: (bytes: string, chunks: string, count: number) =>
      `${bytes} in ${chunks} ${count === 1 ? "chunk" : "chunks"}`,
    visible: "Visible",
    failed: (reason: string) => `The measurement failed: ${reason}.`,
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
  },
  memory: {
    title: "Memory",
    limit: "Memory for cached data",
    used: (bytes: string) => `${bytes} in use`,
    keep: "Keep data for later visits",
    offline: "Work offline, with kept data only",
  },
  opening: {
    busy: "Opening…",
    refused: "The source cannot be used",
    noSource: "Nothing to show yet: set the attribute src to the URL of a Zarr array or group.",
  },
  picture: {
    reading: "Reading…",
    empty: "The array has no elements: one of its dimensions has length 0.",
    noVolume: (reason: string) => `The volume cannot be shown: ${reason}.`,
  },
  refresh: {
    tooMany: (count: number, most: number) =>
      `the selection covers ${count} stored objects; refresh at most ${most} at a time`,
  },
  sharing: {
    title: "Share",
    link: "Copy link",
    png: "Save PNG",
    figure: "Figure…",
    copyAs: (language: string) => `Copy as ${language}`,
    manual: "Text to copy",
    noClipboard: "This page cannot use the clipboard: copy the text below.",
    linkCopied: "Link copied to the clipboard.",
    codeCopied: (language: string) => `${language} code for this view copied to the clipboard.`,
    onlyHere: "This store exists only in this page; a program cannot read it.",
    saved: (name: string) => `${name} is saved.`,
  },
  slices: {
    title: "Slice",
    inC: "Read chunks in C order, as zarr-python 1.x wrote them",
    more: (axes: number) => `${axes} more axes`,
    index: (axis: string) => `Index along ${axis}`,
    play: (axis: string) => `Play along ${axis}`,
    stop: (axis: string) => `Stop playing along ${axis}`,
    frameRate: "Play",
    rate: (slices: number) => (slices === 1 ? "1 slice per second" : `${slices} slices per second`),
  },
  tabList: "Controls",
  tabs: {
    image: "Image",
    layers: "Layers",
    axes: "Axes",
    measure: "Measure",
    share: "Share",
  },
  values: {
    hint: "Point at the picture or use the arrow keys to read values; ? lists all keys.",
    touchHint: "Tap the picture to read values; pinch to zoom.",
    unread: "not read yet",
    noPoint: "no point",
    level: (level: number) => `level ${level}`,
    fill: "fill value: the chunk is not stored",
    label: "label",
    missing: "missing",
    stored: (value: string) => `stored ${value}`,
  },
};
