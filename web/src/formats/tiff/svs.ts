/** Aperio SVS: the levels of a slide, with its thumbnail, label and macro images. */

import { groupOf } from "../file/group.js";
import type { FileContext, FileNode } from "../file/model.js";
import { attributesOf, type Entries } from "./attributes.js";
import type { TiffFile } from "./ifd.js";
import {
  channelAxis,
  imageAttribute,
  isReduced,
  levelNodes,
  pageArray,
  pixelAxes,
  readLevel,
  refusedLevel,
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
  const main = await readLevel(await file.page(file.first));
  const levels = [main];
  const others = new Map<string, FileNode>();
  for (const [i, { offset }] of pages.entries()) {
    if (i === 0) continue;
    const page = await file.page(offset);
    const level = await readLevel(page).catch(refusedLevel);
    if ("layout" in level && level.layout.isTiled && isReduced(level, main)) levels.push(level);
    else {
      const stated = /^(label|macro)\b/.exec((await descriptionOf(page)).split(/\r?\n/)[1] ?? "")?.[1];
      const name = stated ?? (i === 1 ? "thumbnail" : `sub${i}`);
      const node =
        "layout" in level ? await pageArray(context, level, { samples: "last" }, undefined) : level;
      others.set(others.has(name) ? `sub${i}` : name, node);
    }
  }
  const nodes = await levelNodes(context, levels, undefined);
  for (const [name, node] of others) nodes.set(name, node);
  const settings = settingsOf(description);
  const pixel = Number(settings.get("MPP"));
  const isKnown = pixel > 0 && Number.isFinite(pixel);
  const axes = isKnown ? pixelAxes(pixel, "micrometer") : pixelAxes();
  const ome = imageAttribute({
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
      .filter((part) => part.includes("="))
      .map(
        (part) =>
          [part.slice(0, part.indexOf("=")).trim(), part.slice(part.indexOf("=") + 1).trim()] as const,
      ),
  );
