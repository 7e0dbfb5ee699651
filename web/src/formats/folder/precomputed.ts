/**
 * Precomputed volumes of Neuroglancer as OME-Zarr images with the dimensions c, z, y, x.
 * Spec: "Precomputed volumes" of google/neuroglancer
 */

import { jsonEntries, jsonObject } from "../../metadata/print.js";
import { isSegment, joinPath } from "../../store/path.js";
import { isJsonObject, type Json, type JsonObject } from "../../util/json.js";
import { countOf } from "../../util/shapes.js";
import { badFile, unsupportedFile } from "../file/cursor.js";
import { type ArrayParts, bytesCodec, named, shorterLast, zeroFill } from "../file/documents.js";
import type { FileArray, FileChunk, FileGroup, FileNode } from "../file/model.js";
import { type OmeAxis, omeAttribute } from "../file/ome.js";
import {
  chunkLengths,
  type FolderContext,
  lengths,
  Members,
  numbersIn,
  offsets,
  positive,
} from "./context.js";
import { parseSharding, type Sharding } from "./sharding.js";

const document = "info";
const volumeType = "neuroglancer_multiscale_volume";
const types = /^(?:u?int(?:8|16|32|64)|float32)$/;
const labels = "compressed_segmentation";
const maxScales = 1024;
const maxChannels = 2 ** 16;
/** Maximum number of labels of a block, the codec's. */
const maxBlock = 2 ** 26;

const axes: readonly OmeAxis[] = [
  { name: "c", type: "channel" },
  ...["z", "y", "x"].map((name): OmeAxis => ({ name, type: "space", unit: "nanometer" })),
];

/** Returns the group of a volume; undefined for documents of something else. */
export function volumeNode(context: FolderContext, path: string, object: JsonObject): FileNode | undefined {
  const what = context.locate(path, document);
  const kind = object["@type"];
  if (typeof kind === "string" && kind.startsWith("neuroglancer_") && kind !== volumeType)
    throw unsupportedFile(`${what}: precomputed data of the type "${kind}"`);
  if (!Object.hasOwn(object, "scales") || !Object.hasOwn(object, "data_type")) return undefined;
  const info = new Members(object, what);
  const scales = info.get("scales");
  if (!Array.isArray(scales) || scales.length > maxScales || !scales.every(isJsonObject))
    throw info.bad("scales", `a list of at most ${maxScales} objects`);
  const dataType = info.text("data_type")!.toLowerCase();
  if (!types.test(dataType))
    throw unsupportedFile(`${what}: precomputed data of the type ${JSON.stringify(dataType)}`);
  const channels = info.integer("num_channels", 1, maxChannels, 1);
  const volume = { context, path, dataType, channels };
  const levels = scales.map((scale, i) => new Level(volume, new Members(scale, `scale ${i} of ${what}`)));
  return new Volume(info, namesOf(levels), levels);
}

interface VolumeParts {
  readonly context: FolderContext;
  readonly path: string;
  readonly dataType: string;
  readonly channels: number;
}

/** Returns the keys of levels, or their numbers if keys cannot be names. */
function namesOf(levels: readonly Level[]): string[] {
  const keys = levels.map(({ key }) => key);
  const isNames = keys.every(isSegment) && new Set(keys).size === keys.length;
  return isNames ? keys : keys.map((_, i) => String(i));
}

class Volume implements FileGroup {
  readonly kind = "group";

  constructor(
    private readonly info: Members,
    private readonly names: readonly string[],
    private readonly levels: readonly Level[],
  ) {}

  attributes(): JsonObject {
    const first = this.levels[0]?.resolution();
    const levels = this.levels.map((level, i) => {
      const resolution = level.resolution();
      // Centres of voxels, relative to the one of the first voxel at the origin.
      const translation = level.offset.map(
        (own, axis) => own * resolution[axis]! + (resolution[axis]! - first![axis]!) / 2,
      );
      return {
        path: this.names[i]!,
        scale: [1, ...[...resolution].reverse()],
        translation: [0, ...translation.reverse()],
      };
    });
    const rest = jsonEntries(this.info.object).filter(([key]) => key !== "scales");
    return jsonObject([
      ["ome", levels.length > 0 ? omeAttribute({ axes, levels }) : undefined],
      ["precomputed", jsonObject(rest)],
    ]);
  }

  members(): readonly string[] {
    return this.names;
  }

  member(name: string): FileNode | undefined {
    return this.levels[this.names.indexOf(name)];
  }
}

/** What the chunks of a level need; vectors are x, y, z. */
interface LevelLayout {
  readonly parts: ArrayParts;
  readonly size: readonly number[];
  readonly chunk: readonly number[];
  readonly offset: readonly number[];
  readonly sharding: Sharding | undefined;
}

class Level implements FileArray {
  readonly kind = "array";
  readonly key: string;
  readonly #folder: string;
  #known: LevelLayout | undefined;

  constructor(
    private readonly volume: VolumeParts,
    private readonly scale: Members,
  ) {
    this.key = scale.text("key") ?? "";
    this.#folder = folderOf(volume.path, this.key, scale);
  }

  /** Size of voxels in nanometers: x, y, z. */
  resolution(): readonly number[] {
    return this.scale.numbers("resolution", positive, 3);
  }

  /** Offset in voxels: x, y, z. */
  get offset(): readonly number[] {
    return this.scale.numbers("voxel_offset", offsets, 3, [0, 0, 0]);
  }

  describe(): ArrayParts {
    return this.#layout.parts;
  }

  async chunk(at: readonly number[], signal: AbortSignal | undefined): Promise<FileChunk | undefined> {
    const cell = at.slice(1).reverse();
    const { context } = this.volume;
    const { size, chunk, offset, sharding } = this.#layout;
    if (sharding) return sharding.find(cell, signal);
    const name = cell.map((index, axis) => {
      const start = index * chunk[axis]!;
      const from = offset[axis]! + start;
      return `${from}-${from + Math.min(chunk[axis]!, size[axis]! - start)}`;
    });
    return { object: context.reader(this.#folder, name.join("_")) };
  }

  /** The first of the sizes of chunks: data are stored in each of them. */
  #chunk(): readonly number[] {
    const all = this.scale.get("chunk_sizes");
    const first = numbersIn(Array.isArray(all) ? all[0] : undefined);
    if (first?.length === 3 && first.every(chunkLengths.test)) return first;
    throw this.scale.bad("chunk_sizes", "lists of 3 lengths above 0");
  }

  get #layout(): LevelLayout {
    this.#known ??= this.#read();
    return this.#known;
  }

  #read(): LevelLayout {
    const { context, dataType, channels } = this.volume;
    const { scale, offset } = this;
    const [size, chunk] = [scale.numbers("size", lengths, 3), this.#chunk()];
    const cells = size.map((length, axis) => Math.ceil(length / chunk[axis]!));
    const json = scale.get("sharding") ?? null;
    const sharding =
      json === null ? undefined : parseSharding(context, this.#folder, json, cells, scale.what);
    const last = sharding?.isGzip ? [named("gzip", { level: 6 })] : [];
    const parts = {
      shape: [channels, ...[...size].reverse()],
      dataType,
      chunks: [channels, ...size.map((length, axis) => shorterLast(length, chunk[axis]!)).reverse()],
      fillValue: zeroFill(dataType),
      codecs: [...this.#codecs(), ...last],
      dimensionNames: axes.map(({ name }) => name),
      attributes: jsonObject([["precomputed", scale.object]]),
    };
    return { parts, size, chunk, offset, sharding };
  }

  #labels(): Json {
    const { what } = this.scale;
    const { dataType } = this.volume;
    if (!/^uint(?:32|64)$/.test(dataType))
      throw badFile(`${what} has the encoding "${labels}" for data of the type ${dataType}`);
    const block = this.scale.numbers(`${labels}_block_size`, chunkLengths, 3);
    if (countOf(block) > maxBlock) throw unsupportedFile(`${what}: blocks of ${block.join(" × ")} labels`);
    return named(labels, { block_size: [...block] });
  }

  #codecs(): Json[] {
    const { dataType, channels } = this.volume;
    const { what } = this.scale;
    const encoding = this.scale.text("encoding")?.toLowerCase();
    const bytes = bytesCodec(true, dataType.endsWith("int8") ? 1 : undefined);
    if (encoding === "raw") return [bytes];
    if (encoding === labels) return [this.#labels()];
    if (encoding !== "jpeg" && encoding !== "png")
      throw unsupportedFile(`${what}: precomputed data with the encoding ${JSON.stringify(encoding)}`);
    const isKnown =
      encoding === "jpeg"
        ? dataType === "uint8" && [1, 3].includes(channels)
        : /^uint(?:8|16)$/.test(dataType) && channels <= 4;
    if (!isKnown)
      throw unsupportedFile(`${what}: images (${encoding}) of ${channels} channels of the type ${dataType}`);
    // Pixels of images are interleaved.
    const transpose = channels > 1 ? [named("transpose", { order: [1, 2, 3, 0] })] : [];
    return [...transpose, bytes, named(`imagecodecs_${encoding}`)];
  }
}

/** Returns the folder of a level; its key may begin with "..". */
function folderOf(path: string, key: string, scale: Members): string {
  const parts = path === "" ? [] : path.split("/");
  for (const part of key.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) throw unsupportedFile(`${scale.what}: a key above the store, "${key}"`);
    } else if (part !== "" && part !== ".") {
      if (!isSegment(part)) throw scale.bad("key", "a path");
      parts.push(part);
    }
  }
  return joinPath(parts.join("/"), "");
}
