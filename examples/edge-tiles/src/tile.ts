/** Assembles the elements of one tile from blocks. */
import type { ZarrArray } from "zarr-wasm";
import type { Block, Blocks, BlockShape, Numbers } from "./blocks.js";
import { type Dataset, indicesOf } from "./dataset.js";
import { badRequest } from "./failures.js";
import type { Scope } from "./scope.js";
import type { TileRoute } from "./route.js";

/** Part of a level in C order: of a tile's size, or smaller at the level's right and lower edge. */
export interface Tile {
  readonly data: Numbers;
  readonly height: number;
  readonly width: number;
}

interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** @throws Refusal: 400 for a tile outside the level, 422 for too many chunks; errors of reading the blocks. */
export async function readTile(
  dataset: Dataset,
  { z, y, x, choice }: TileRoute,
  blocks: Blocks,
  tileSize: number,
  scope: Scope,
): Promise<Tile> {
  const level = dataset.levels[z];
  if (!level) throw badRequest(`the level must be below ${dataset.levels.length}`);
  const box = boxOf(dataset, level, y, x, tileSize);
  const indices = indicesOf(dataset, level, choice.indices);
  const shape = blocks.shapeOf(dataset, level);
  const places = placesIn(box, shape).map((place) => ({ ...place, indices }));
  blocks.checkCount(dataset, level, shape, places);
  const found = await Promise.all(places.map((place) => blocks.read(dataset, level, shape, place, scope)));
  return assemble(box, found);
}

function boxOf({ y, x }: Dataset, { shape }: ZarrArray, row: number, column: number, size: number): Box {
  const [height, width] = [shape[y]!, shape[x]!];
  const [top, left] = [row * size, column * size];
  if (top < height && left < width)
    return { top, left, bottom: Math.min(top + size, height), right: Math.min(left + size, width) };
  const [rows, columns] = [Math.ceil(height / size), Math.ceil(width / size)];
  throw badRequest(`this level has ${rows} rows and ${columns} columns of tiles`);
}

function placesIn({ top, left, bottom, right }: Box, { height, width }: BlockShape) {
  const places: { row: number; column: number }[] = [];
  for (let row = Math.floor(top / height); row * height < bottom; row++)
    for (let column = Math.floor(left / width); column * width < right; column++) places.push({ row, column });
  return places;
}

function assemble(box: Box, blocks: readonly Block[]): Tile {
  const [height, width] = [box.bottom - box.top, box.right - box.left];
  const Kind = blocks[0]!.data.constructor as new (length: number) => Numbers;
  const data = new Kind(height * width);
  for (const block of blocks) copyBlock(block, box, data, width);
  return { data, height, width };
}

function copyBlock(block: Block, box: Box, out: Numbers, width: number): void {
  const [top, left] = [Math.max(block.top, box.top), Math.max(block.left, box.left)];
  const bottom = Math.min(block.top + block.height, box.bottom);
  const right = Math.min(block.left + block.width, box.right);
  for (let y = top; y < bottom; y++) {
    const from = (y - block.top) * block.strideY + (left - block.left) * block.strideX;
    const to = (y - box.top) * width + left - box.left;
    if (block.strideX === 1) out.set(block.data.subarray(from, from + right - left) as never, to);
    else for (let x = 0; x < right - left; x++) out[to + x] = block.data[from + x * block.strideX]!;
  }
}
