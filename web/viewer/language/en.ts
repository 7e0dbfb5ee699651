/** English texts of the interface: a section per subject, in alphabetical order. */
export const english = {
  maps: {
    cell: (id: number) => `cell ${id}`,
    clear: "Clear (Esc)",
    clearMeasurement: "Clear the measurement",
    east: "E",
    north: "N",
    noPosition: "no position",
    noTime: "no time",
    since1970: (milliseconds: string) => `${milliseconds} ms since 1970`,
    south: "S",
    unreadPlaces: (reason: string) => `The places of the cells could not be read: ${reason}.`,
    west: "W",
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
  tabs: {
    image: "Image",
    layers: "Layers",
    axes: "Axes",
    measure: "Measure",
    share: "Share",
  },
};
