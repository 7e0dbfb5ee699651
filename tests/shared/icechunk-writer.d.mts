/** Types of icechunk-writer.mjs. */
export interface WriterOptions {
  version?: number;
  compress?: (bytes: Uint8Array) => Uint8Array;
  dictionary?: Uint8Array;
}
export interface Reference {
  index: number[];
  inline?: Uint8Array;
  id?: Uint8Array;
  location?: string;
  compressed?: Uint8Array;
  offset?: number | bigint;
  length?: number | bigint;
  etag?: string;
  modified?: number;
}
export interface Sequence<T> {
  readonly length: number;
  at(index: number): T | undefined;
}
export interface Node {
  path: string;
  document: unknown;
  node?: number;
  manifests?: { id: Uint8Array; extents: [number, number][] }[];
}
export function flatBuffer(fields: Record<number, unknown>): Uint8Array;
export function metadataFile(type: string, body: Uint8Array, options?: WriterOptions): Uint8Array;
export function idText(id: Uint8Array): string;
export function idOf(number: number): Uint8Array;
export function manifestFile(
  id: Uint8Array,
  arrays: { node: number; references: Sequence<Reference> }[],
  options?: WriterOptions,
): Uint8Array;
export function snapshotFile(
  id: Uint8Array,
  nodes: Node[],
  options?: WriterOptions & { parent?: Uint8Array; time?: number; message?: string },
): Uint8Array;
export function repoFile(
  repo: {
    snapshots: { id: Uint8Array; parent: number; time?: number; message?: string }[];
    branches: { name: string; index: number }[];
    tags?: { name: string; index: number }[];
    config?: Uint8Array;
    specVersion?: number;
  },
  options?: WriterOptions,
): Uint8Array;
export function arrayDocument(shape: number[], chunks: number[], more?: object): object;
export function groupDocument(attributes?: object): object;
