/** TIFF: the part of the library that reads TIFF files as arrays and groups. */

import { isZarrError } from "../../util/errors.js";
import { inSlices } from "../../util/slices.js";
import type { FileContext, FileFormat, FileNode } from "../file/model.js";
import { attributesOf } from "./attributes.js";
import { TiffFile } from "./ifd.js";
import { imageNode, imagesOf, NodeGroup } from "./nodes.js";
import { omeNode } from "./ome.js";
import { imagejNode, shapedNode } from "./stacks.js";
import { svsNode } from "./svs.js";

export const format: FileFormat = {
  async open(context: FileContext, signal: AbortSignal | undefined): Promise<FileNode> {
    const file = await TiffFile.open(context.blocks, context.name, context.onWarning, signal);
    for (const convention of [omeNode, imagejNode, shapedNode, svsNode]) {
      const node = await ifValid(context, () => convention(context, file));
      if (node) return node;
    }
    const pages = await file.chain.all(signal);
    const images = await inSlices(imagesOf(pages), signal);
    if (images.length === 1) return imageNode(context, file, pages);
    return new NodeGroup(attributesOf([]), images.length, async (name) => {
      const image = /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : images.length;
      if (image >= images.length) return undefined;
      return imageNode(context, file, pages.slice(images[image], images[image + 1]));
    });
  },
};

/** Runs the reader of a convention; a description that is not valid is ignored with a warning. */
async function ifValid<T>(context: FileContext, read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isZarrError(error, "InvalidMetadata")) throw error;
    context.onWarning?.({ code: "bad-page", message: error.message });
    return undefined;
  }
}
