/** English texts of the interface: a section per subject, in alphabetical order. */
export const english = {
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
  refresh: {
    tooMany: (count: number, most: number) =>
      `the selection covers ${count} stored objects; refresh at most ${most} at a time`,
  },
  tabs: {
    image: "Image",
    layers: "Layers",
    axes: "Axes",
    measure: "Measure",
    share: "Share",
  },
};
