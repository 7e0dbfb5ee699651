/** English texts of the interface: a section per subject, in alphabetical order. */
export const english = {
  tabs: {
    image: "Image",
    layers: "Layers",
    axes: "Axes",
    measure: "Measure",
    share: "Share",
  },
};
