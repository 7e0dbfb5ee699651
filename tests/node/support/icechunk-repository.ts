/** A small Icechunk repository, written by the tests' own writer. */
import {
  arrayDocument,
  groupDocument,
  idOf,
  idText,
  manifestFile,
  type Node,
  type Reference,
  repoFile,
  snapshotFile,
} from "../../shared/icechunk-writer.mjs";

export type Objects = Map<string, Uint8Array>;

/** Times of the three snapshots: one a day. */
export const days = [1, 2, 3].map((day) => Date.UTC(2025, 0, day));
export const snapshotIds = [11, 12, 13].map((number) => idText(idOf(number)));

export const bytesOf = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** 2 × 3 chunks of 2 × 2; the chunk (1, 2) is missing. */
export const plainReferences: Reference[] = [
  { index: [0, 0], inline: bytesOf(0, 1, 2, 3) },
  { index: [0, 1], id: idOf(100), offset: 2, length: 4 },
  { index: [0, 2], id: idOf(100), offset: 6, length: 4 },
  { index: [1, 0], inline: bytesOf(30, 31, 32, 33) },
  { index: [1, 1], id: idOf(101), offset: 0, length: 4 },
];

/** The values of the array "a" in its newest version: rows of 6, fill value 7. */
export const plainValues = [
  ...[0, 1, 10, 11, 20, 21],
  ...[2, 3, 12, 13, 22, 23],
  ...[30, 31, 40, 41, 7, 7],
  ...[32, 33, 42, 43, 7, 7],
];

interface Parts {
  references?: Reference[];
  nodes?: Node[];
  compress?: (bytes: Uint8Array) => Uint8Array;
  config?: Uint8Array;
  dictionary?: Uint8Array;
}

/** Nodes of the newest version: the array's references lie in one manifest. */
export const nodesOf = (manifest: Uint8Array, shape = [4, 6], chunks = [2, 2]): Node[] => [
  { path: "/", document: groupDocument({ title: "test" }) },
  {
    path: "/a",
    node: 1,
    document: arrayDocument(shape, chunks),
    manifests: [
      { id: manifest, extents: shape.map((length, axis) => [0, Math.ceil(length / chunks[axis]!)]) },
    ],
  },
];

/** A repository of version 2 with the branches "main" and "old", the tag "v1", and three versions. */
export function repository(parts: Parts = {}): Objects {
  const { references = plainReferences, compress, config, dictionary } = parts;
  const options = { ...(compress && { compress }), ...(dictionary && { dictionary }) };
  const [first, second, third] = [11, 12, 13].map(idOf) as [Uint8Array, Uint8Array, Uint8Array];
  const nodes = parts.nodes ?? nodesOf(idOf(50));
  const older: Node[] = [
    nodes[0]!,
    {
      ...nodes[1]!,
      manifests: [
        {
          id: idOf(51),
          extents: [
            [0, 2],
            [0, 3],
          ],
        },
      ],
    },
  ];
  const snapshots = [
    { id: first, parent: -1, time: days[0]!, message: "made" },
    { id: second, parent: 0, time: days[1]!, message: "filled" },
    { id: third, parent: 1, time: days[2]!, message: "changed" },
  ];
  const repo = repoFile(
    {
      snapshots,
      branches: [
        { name: "main", index: 2 },
        { name: "old", index: 1 },
      ],
      tags: [{ name: "v1", index: 1 }],
      ...(config && { config }),
    },
    options,
  );
  return new Map([
    ["/repo", repo],
    [`/snapshots/${idText(first)}`, snapshotFile(first, [nodes[0]!], options)],
    [`/snapshots/${idText(second)}`, snapshotFile(second, older, options)],
    [`/snapshots/${idText(third)}`, snapshotFile(third, nodes, options)],
    [`/manifests/${idText(idOf(50))}`, manifestFile(idOf(50), [{ node: 1, references }], options)],
    [
      `/manifests/${idText(idOf(51))}`,
      manifestFile(
        idOf(51),
        [{ node: 1, references: [{ index: [0, 0], inline: bytesOf(9, 9, 9, 9) }] }],
        options,
      ),
    ],
    [`/chunks/${idText(idOf(100))}`, bytesOf(255, 255, 10, 11, 12, 13, 20, 21, 22, 23)],
    [`/chunks/${idText(idOf(101))}`, bytesOf(40, 41, 42, 43)],
  ]);
}

/** The same as a repository of version 1: refs are documents. */
export function repositoryV1(): Objects {
  const options = { version: 1 };
  const [first, second] = [11, 12].map(idOf) as [Uint8Array, Uint8Array];
  const nodes = nodesOf(idOf(50));
  const ref = (id: Uint8Array) => new TextEncoder().encode(JSON.stringify({ snapshot: idText(id) }));
  return new Map([
    ["/refs/branch.main/ref.json", ref(second)],
    ["/refs/branch.entw%C3%BCrfe/ref.json", ref(first)],
    ["/refs/tag.v1/ref.json", ref(first)],
    ["/refs/tag.gone/ref.json", ref(first)],
    ["/refs/tag.gone/ref.json.deleted", new Uint8Array(0)],
    [
      `/snapshots/${idText(first)}`,
      snapshotFile(first, [nodes[0]!], { ...options, time: days[0]!, message: "made" }),
    ],
    [
      `/snapshots/${idText(second)}`,
      snapshotFile(second, nodes, { ...options, time: days[1]!, message: "filled", parent: first }),
    ],
    [
      `/manifests/${idText(idOf(50))}`,
      manifestFile(idOf(50), [{ node: 1, references: plainReferences }], options),
    ],
    [`/chunks/${idText(idOf(100))}`, bytesOf(255, 255, 10, 11, 12, 13, 20, 21, 22, 23)],
    [`/chunks/${idText(idOf(101))}`, bytesOf(40, 41, 42, 43)],
  ]);
}
