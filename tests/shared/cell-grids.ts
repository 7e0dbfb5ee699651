/** Grids of cells for tests: reduced rows, triangles on a sphere, and the polygons around their corners. */

export interface Triangles {
  readonly corners: number;
  readonly longitudes: number[];
  readonly latitudes: number[];
  /** Nodes of the cells; −1 for none. */
  readonly nodes: number[];
}

/** An octahedral grid of 2n rows, from the north: 20 points beside the poles, 4 more in each row. */
export function octahedral(n: number): { longitudes: number[]; latitudes: number[] } {
  const [longitudes, latitudes]: [number[], number[]] = [[], []];
  for (let row = 0; row < 2 * n; row++) {
    const count = 20 + 4 * Math.min(row, 2 * n - 1 - row);
    for (let i = 0; i < count; i++) {
      longitudes.push((i * 360) / count);
      latitudes.push(90 - ((row + 0.5) * 180) / (2 * n) + (row - n + 0.5) * 1e-3);
    }
  }
  return { longitudes, latitudes };
}

type Vector = readonly [number, number, number];

const unit = ([x, y, z]: Vector): Vector => {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
};

/** 20 · 4^level triangles; parts of a triangle follow each other. */
export function icosphere(level: number): Triangles {
  const g = (1 + Math.sqrt(5)) / 2;
  // Turned, so that no node is at a pole.
  const turn = ([x, y, z]: Vector): Vector => unit([x, 0.8 * y - 0.6 * z, 0.6 * y + 0.8 * z]);
  const places: Vector[] = [
    [-1, g, 0],
    [1, g, 0],
    [-1, -g, 0],
    [1, -g, 0],
    [0, -1, g],
    [0, 1, g],
    [0, -1, -g],
    [0, 1, -g],
    [g, 0, -1],
    [g, 0, 1],
    [-g, 0, -1],
    [-g, 0, 1],
  ].map((place) => turn(place as unknown as Vector));
  let nodes = [
    0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3, 9, 4,
    3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1,
  ];
  const known = new Map<number, number>();
  const middle = (a: number, b: number): number => {
    const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b);
    let at = known.get(key);
    if (at === undefined) {
      const [p, q] = [places[a]!, places[b]!];
      at = places.push(unit([p[0] + q[0], p[1] + q[1], p[2] + q[2]])) - 1;
      known.set(key, at);
    }
    return at;
  };
  for (let i = 0; i < level; i++) {
    const next: number[] = [];
    for (let at = 0; at < nodes.length; at += 3) {
      const [a, b, c] = [nodes[at]!, nodes[at + 1]!, nodes[at + 2]!];
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      next.push(a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca);
    }
    nodes = next;
  }
  return { corners: 3, nodes, ...degrees(places) };
}

function degrees(places: readonly Vector[]): { longitudes: number[]; latitudes: number[] } {
  return {
    longitudes: places.map(([x, y]) => (Math.atan2(y, x) * 180) / Math.PI),
    latitudes: places.map(([, , z]) => (Math.asin(z) * 180) / Math.PI),
  };
}

/** A polygon around each node, with corners in the middle of its triangles: hexagons, and twelve pentagons. */
export function dualMesh({ nodes, longitudes, latitudes }: Triangles): Triangles {
  const vector = (node: number): Vector => {
    const [l, p] = [(longitudes[node]! * Math.PI) / 180, (latitudes[node]! * Math.PI) / 180];
    return [Math.cos(p) * Math.cos(l), Math.cos(p) * Math.sin(l), Math.sin(p)];
  };
  const around = longitudes.map((): number[] => []);
  const middles: Vector[] = [];
  for (let at = 0; at < nodes.length; at += 3) {
    const own = nodes.slice(at, at + 3);
    const sum = own.map(vector).reduce((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    for (const node of own) around[node]!.push(middles.length);
    middles.push(unit(sum));
  }
  const polygons = around.flatMap((list, node) => {
    const [x, y, z] = vector(node);
    const [east, across] = [
      Math.hypot(x, y),
      (place: Vector) => (place[1] * x - place[0] * y) / Math.hypot(x, y),
    ];
    const angle = (i: number) => {
      const place = middles[i]!;
      return Math.atan2(place[2] * east - (z * (place[0] * x + place[1] * y)) / east, across(place));
    };
    const sorted = [...list].sort((a, b) => angle(a) - angle(b));
    return [...sorted, ...new Array<number>(6 - sorted.length).fill(-1)];
  });
  return { corners: 6, nodes: polygons, ...degrees(middles) };
}
