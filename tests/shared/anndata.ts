/** Writes AnnData with a matrix in each of its encodings. */
import { create, createGroup, type MapStore, set } from "zarr-wasm";

type Attributes = NonNullable<NonNullable<Parameters<typeof createGroup>[1]>["attributes"]>;
type Target = MapStore | URL;
type Values = Float32Array | Float64Array | Int32Array | Int8Array | BigInt64Array | readonly string[];

const dtypeOf = (values: Values) =>
  Array.isArray(values)
    ? "string"
    : ((
        { Float32Array: "float32", Float64Array: "float64", Int32Array: "int32", Int8Array: "int8" } as const
      )[values.constructor.name as "Int32Array"] ?? "int64");

export async function group(target: Target, path: string, attributes: object): Promise<void> {
  await createGroup(target, { path, zarrFormat: 3, attributes: attributes as Attributes });
}

export async function array(
  target: Target,
  path: string,
  shape: readonly number[],
  values: Values,
  chunkShape: readonly number[] = shape,
): Promise<void> {
  const chunks = chunkShape.map((length) => Math.max(1, length));
  const made = await create(target, {
    path,
    shape: [...shape],
    chunkShape: chunks,
    dtype: dtypeOf(values),
    zarrFormat: 3,
  });
  if (values.length > 0) await set(made, null, values as never);
}

/** A matrix by rows; zeros of sparse ones are not stored. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  at(row: number, column: number): number;
}

export async function dense(target: Target, path: string, matrix: Matrix, chunk: readonly number[]) {
  const { rows, columns, at } = matrix;
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) values[row * columns + column] = at(row, column);
  await array(target, path, [rows, columns], values, chunk);
}

export async function sparse(
  target: Target,
  path: string,
  format: "csr" | "csc",
  { rows, columns, at }: Matrix,
  chunk: number,
): Promise<void> {
  const [lines, across] = format === "csr" ? [rows, columns] : [columns, rows];
  const [indices, data, starts]: [number[], number[], number[]] = [[], [], [0]];
  for (let line = 0; line < lines; line++) {
    for (let i = 0; i < across; i++) {
      const value = format === "csr" ? at(line, i) : at(i, line);
      if (value === 0) continue;
      indices.push(i);
      data.push(value);
    }
    starts.push(data.length);
  }
  await sparseParts(target, path, format, [rows, columns], starts, indices, data, chunk);
}

export async function sparseParts(
  target: Target,
  path: string,
  format: "csr" | "csc",
  shape: readonly [number, number],
  starts: ArrayLike<number>,
  indices: ArrayLike<number>,
  data: ArrayLike<number>,
  chunk: number,
): Promise<void> {
  await group(target, path, { "encoding-type": `${format}_matrix`, "encoding-version": "0.1.0", shape });
  await array(target, `${path}/indptr`, [starts.length], BigInt64Array.from(Array.from(starts, BigInt)), [
    chunk,
  ]);
  await array(target, `${path}/indices`, [indices.length], Int32Array.from(indices), [chunk]);
  await array(target, `${path}/data`, [data.length], Float32Array.from(data), [chunk]);
}

export async function frame(
  target: Target,
  path: string,
  columns: Readonly<
    Record<string, Values | { readonly categories: readonly string[]; readonly codes: Int8Array }>
  >,
): Promise<void> {
  const [index, ...order] = Object.keys(columns);
  await group(target, path, { "encoding-type": "dataframe", _index: index, "column-order": order });
  for (const [name, values] of Object.entries(columns)) {
    if (!("codes" in values)) {
      await array(target, `${path}/${name}`, [values.length], values);
      continue;
    }
    await group(target, `${path}/${name}`, { "encoding-type": "categorical", ordered: false });
    await array(target, `${path}/${name}/codes`, [values.codes.length], values.codes);
    await array(target, `${path}/${name}/categories`, [values.categories.length], values.categories);
  }
}

export const annData = (target: Target, path: string): Promise<void> =>
  group(target, path, { "encoding-type": "anndata", "encoding-version": "0.1.0" });
