import { useRegion } from "./useRegion.js";

export function Mean({ url, day }) {
  const { state, progress, region, error } = useRegion(url, [day, null, null]);
  if (state === "error") return <p role="alert">{error.message}</p>;
  if (state === "reading") return <progress value={progress} />;
  const sum = region.data.reduce((a, b) => a + b, 0);
  return <p>Mean of day {day}: {(sum / region.data.length).toFixed(1)}</p>;
}
