// Map projections: round trips.
import { expect, it } from "vitest";
import { mapProjection } from "../../../web/viewer/model/map-projections.js";
import { mapNames } from "../../../web/viewer/model/state.js";

const names = mapNames.filter((name) => name !== "data");

it.each(names)("%s: a place leads back to its position", (name) => {
  const map = mapProjection(name, [20.3, 30.7]); // no position exactly at an edge
  const [longitudes, latitudes] = [new Float64Array(1), new Float64Array(1)];
  let count = 0;
  for (let longitude = -175; longitude < 180; longitude += 15)
    for (let latitude = -80; latitude <= 80; latitude += 10) {
      const place = map.forward(longitude, latitude);
      if (!place) continue;
      count++;
      map.inverseRow(place[0], place[1], 0, longitudes, latitudes);
      const away = longitudes[0]! - longitude;
      expect(Math.abs(away - 360 * Math.round(away / 360))).toBeLessThan(1e-5);
      expect(latitudes[0]).toBeCloseTo(latitude, 5);
    }
  expect(count).toBeGreaterThan(100);
});

// PROJ: +R=57.29577951308232 +lon_0=20, and for the globe +lat_0=30; the place of longitude 75°.
it.each([
  ["mercator", 40, 54.99999999999998, 43.711503213210854],
  ["equal-earth", 40, 41.9977155632259, 44.382525247531134],
  ["globe", 40, 35.95349535797339, 19.307410218216038],
  ["north-pole", 40, 43.77132521085142, -30.64901187006689],
  ["plate-carree", 40, 55, 40],
  ["south-pole", -40, 43.77132521085142, 30.64901187006689],
] as const)("%s: as PROJ", (name, latitude, x, y) => {
  const place = mapProjection(name, [20, 30]).forward(75, latitude)!;
  expect(place[0]).toBeCloseTo(x, 8);
  expect(place[1]).toBeCloseTo(y, 8);
});
