/** English texts of the interface: a section per subject, in alphabetical order. */
export const english = {
  measure: {
    clear: "Clear the measurement",
    clearKey: "Clear (Esc)",
  },
  tabs: {
    image: "Image",
    layers: "Layers",
    axes: "Axes",
    measure: "Measure",
    share: "Share",
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
    voxels: (count: string) => `${count} voxels`,
  },
  view: {
    name: "View",
    panes: "Panes",
    plane: "Plane",
    title: "Variable and view",
    volume: "Volume",
  },
};
