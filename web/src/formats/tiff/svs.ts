/** Aperio SVS: the levels of a slide, with its thumbnail, label and macro images. */

import type { FileContext, FileNode } from "../file/model.js";
import { attributesOf, type Entries } from "./attributes.js";
import type { TiffFile } from "./ifd.js";
import {
  channelAxis,
  groupOf,
  isReduced,
  levelNodes,
  omeAttributes,
  pageArray,
  pixelAxes,
  readLevel,
} from "./nodes.js";
import { descriptionOf } from "./stacks.js";

/** Maximum number of pages of a slide; others have a handful. */
const maxPages = 64;

/** Returns the node of a slide; undefined for other files. */
export async function svsNode(context: FileContext, file: TiffFile): Promise<FileNode | undefined> {
  const description = await descriptionOf(await file.page(file.first));
  if (!/^Aperio\b/.test(description)) return undefined;
  const pages = await file.chain.all(undefined);
  if (pages.length > maxPages) return undefined;
  const all = await Promise.all(pages.map(async ({ offset }) => readLevel(await file.page(offset))));
  const [main] = all as [(typeof all)[number]];
  const levels = all.filter(
    (level) => level === main || (level.layout.isTiled && main.layout.isTiled && isReduced(level, main)),
  );
  const nodes = await levelNodes(context, levels, undefined);
  for (const [i, level] of all.entries()) {
    if (levels.includes(level)) continue;
    const words = (await descriptionOf(level.page)).split(/\r?\n/);
    const stated = /^(label|macro)\b/.exec(words[1] ?? "")?.[1];
    const name = stated ?? (i === 1 ? "thumbnail" : `sub${i}`);
    const array = await pageArray(context, level, { samples: "last" }, undefined);
    nodes.set(nodes.has(name) ? `sub${i}` : name, array);
  }
  const settings = settingsOf(description);
  const pixel = Number(settings.get("MPP"));
  const isKnown = pixel > 0 && Number.isFinite(pixel);
  const axes = isKnown ? pixelAxes(pixel, "micrometer") : pixelAxes();
  const ome = omeAttributes({
    axes: main.layout.samples > 1 ? [channelAxis, ...axes] : axes,
    sizes: levels.map(({ layout: { width, height } }) => [height, width] as const),
  });
  const entries: Entries = [
    ["ome", ome],
    ["aperio", Object.fromEntries(settings)],
  ];
  return groupOf(attributesOf(entries), nodes);
}

/** Parses "|MPP = 0.4990|AppMag = 20". */
const settingsOf = (description: string) =>
  new Map(
    description
      .split("|")
      .slice(1)
      .map((part) => /^\s*([^=]*?)\s*=\s*([\s\S]*?)\s*$/.exec(part))
      .filter((match) => match !== null)
      .map(([, name, value]) => [name!, value!] as const),
  );
