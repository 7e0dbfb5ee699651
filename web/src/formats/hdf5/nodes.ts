/** The objects of a file as groups and arrays. */

import { untilAborted } from "../../util/async.js";
import { isZarrError, limitExceeded } from "../../util/errors.js";
import type { JsonObject } from "../../util/json.js";
import type { FileGroup, FileNode } from "../file/model.js";
import { NodeCache } from "../file/node-cache.js";
import { HdfArray } from "./array.js";
import { type Attribute, attributesAt, attributesJson, readAttributes } from "./attributes.js";
import type { HdfFile } from "./file.js";
import { lastMessageType, messageType, type ObjectHeader, readHeader } from "./header.js";
import { isGroup, type Link, readLinks } from "./links.js";
import { readDataspace } from "./messages.js";
import {
  dimensionAttributes,
  hasNetcdfMarks,
  isBareDimension,
  isScale,
  numbersOf,
  otherName,
  type ScaleGroup,
  type Surroundings,
  scaleUses,
  variableName,
} from "./scales.js";
import type { MessageReader } from "./shared.js";

/** Maximum number of links that a soft link may lead through. */
const maxSteps = 1000;
/** Members opened in parallel: their headers may be far apart. */
const parallel = 16;
/** Maximum number of times that groups are reached over further paths; a few links can form millions of paths. */
const maxPaths = 2 ** 16;

/** The objects of a file. */
export class Objects implements Surroundings {
  isNetcdf = false;
  readonly #links = new NodeCache<ReadonlyMap<string, Link>>();
  /** Lengths of dimensions by the address of their scale. */
  readonly #lengths = new NodeCache<number>();
  readonly #opened = new Set<number>();
  #paths = 0;

  constructor(
    readonly reader: MessageReader,
    readonly root: number,
  ) {}

  get file(): HdfFile {
    return this.reader.file;
  }

  async openRoot(): Promise<FileNode> {
    const node = await this.open(this.root, "", undefined);
    if (node?.kind !== "group") throw this.file.unsupported("the root is not a group");
    this.isNetcdf = hasNetcdfMarks(await (node as HdfGroup).ownAttributes());
    return node;
  }

  /**
   * Opens an object as a member of a group.
   * @returns undefined for a committed datatype, and for a group that contains the parent.
   * @throws Unsupported for objects with messages that a reader must know.
   */
  async open(address: number, name: string, parent: HdfGroup | undefined): Promise<FileNode | undefined> {
    for (let above = parent; above; above = above.parent)
      if (above.header.address === address) return undefined;
    const header = await readHeader(this.file, address);
    const unknown = header.messages.find(({ type, isRequired }) => type > lastMessageType && isRequired);
    if (unknown) throw this.file.unsupported(`"${name}" needs the unknown message type ${unknown.type}`);
    if (isGroup(header)) {
      if (this.#opened.has(address) && ++this.#paths > maxPaths)
        throw limitExceeded(`${this.file.context.name} has more than ${maxPaths} paths to its groups`);
      this.#opened.add(address);
      return new HdfGroup(this, header, parent);
    }
    const isDataset = header.messages.some(({ type }) => type === messageType.layout);
    return isDataset ? new HdfArray(this, header, name, parent) : undefined;
  }

  /**
   * Returns the length of an unlimited dimension of NetCDF-4: of its coordinate, or of the longest variable that uses it.
   */
  dimensionLength(address: number): Promise<number> {
    return this.#lengths.get(address, () => this.#readLength(address));
  }

  async #readLength(address: number): Promise<number> {
    const header = await readHeader(this.file, address, (part) => this.#isCoordinate(part));
    const attributes = await readAttributes(this.reader, header);
    const uses = isBareDimension(attributes) ? scaleUses(this.file, attributes) : [];
    let length = (await this.#shape(header))[0] ?? 0;
    for (const { address: user, axis } of uses) {
      const shape = await this.#shape(await readHeader(this.file, user));
      length = Math.max(length, shape[axis] ?? 0);
    }
    return length;
  }

  /** Whether messages show a dimension with a variable. Its list of references, often far away, is not needed then. */
  async #isCoordinate(header: ObjectHeader): Promise<boolean> {
    if (!header.messages.some(({ type }) => type === messageType.dataspace)) return false;
    const attributes = await readAttributes(this.reader, header);
    return isScale(attributes) && attributes.has("NAME") && !isBareDimension(attributes);
  }

  async #shape(header: ObjectHeader): Promise<readonly number[]> {
    const space = await this.reader.find(header, messageType.dataspace);
    return (space && readDataspace(this.file, space).shape) ?? [];
  }

  /** Returns the links of the group at an address. @param header of the group. Default: it is read. */
  links(address: number, header?: ObjectHeader): Promise<ReadonlyMap<string, Link>> {
    const read = async () => readLinks(this.file, header ?? (await readHeader(this.file, address)));
    return this.#links.get(address, read);
  }

  /**
   * Returns the address that a link of a group leads to; undefined for soft links without a target.
   * @throws Unsupported for links to other files.
   */
  async resolve(link: Link, group: number, budget = { left: maxSteps }): Promise<number | undefined> {
    if (link.kind === "hard") return link.address;
    if (link.kind === "external")
      throw this.file.unsupported(
        `external links, as to ${link.path.replaceAll("\0", ":")}, are not followed`,
      );
    if (link.kind === "user") throw this.file.unsupported(`links of the type ${link.path} are not followed`);
    let address: number | undefined = link.path.startsWith("/") ? this.root : group;
    for (const name of link.path.split("/")) {
      if (name === "" || name === ".") continue;
      if (--budget.left < 0) return undefined;
      const next = (await this.links(address)).get(name);
      address = next && (await this.resolve(next, address, budget));
      if (address === undefined) return undefined;
    }
    return address;
  }
}

class HdfGroup implements FileGroup, ScaleGroup {
  readonly kind = "group";
  readonly #nodes = new Map<string, FileNode | undefined>();
  #attributes: ReadonlyMap<string, Attribute> | undefined;
  #members: readonly string[] | undefined;
  /** The first name of each object. */
  #names: Map<number, string> | undefined;

  /** @param parent the group on the path to this one: the file may have others. */
  constructor(
    readonly objects: Objects,
    readonly header: ObjectHeader,
    readonly parent: HdfGroup | undefined,
  ) {}

  async ownAttributes(): Promise<ReadonlyMap<string, Attribute>> {
    this.#attributes ??= await readAttributes(this.objects.reader, this.header);
    return this.#attributes;
  }

  async attributes(): Promise<JsonObject> {
    const { file, isNetcdf } = this.objects;
    const rules = { hidden: isNetcdf ? dimensionAttributes : none, isNetcdf, core: "" };
    return attributesJson(file, await this.ownAttributes(), rules);
  }

  async nameAt(address: number): Promise<string | undefined> {
    if (!this.#names) {
      const links = await this.links();
      this.#names = new Map();
      for (const [name, link] of links)
        if (link.kind === "hard" && !this.#names.has(link.address))
          this.#names.set(link.address, variableName(name));
    }
    return this.#names.get(address);
  }

  async nameOfDimension(id: number): Promise<string | undefined> {
    for (const [name, link] of await this.links()) {
      if (link.kind !== "hard") continue;
      const attributes = await attributesAt(this.objects.reader, link.address);
      if (isScale(attributes) && numbersOf(attributes, "_Netcdf4Dimid")[0] === id) return variableName(name);
    }
    return undefined;
  }

  links(): Promise<ReadonlyMap<string, Link>> {
    return this.objects.links(this.header.address, this.header);
  }

  async members(signal: AbortSignal | undefined): Promise<readonly string[]> {
    this.#members ??= await untilAborted(this.#shownMembers(), signal);
    return this.#members;
  }

  async #shownMembers(): Promise<readonly string[]> {
    const names = [...new Set([...(await this.links()).keys()].map(variableName))];
    const shown: string[] = [];
    for (let at = 0; at < names.length; at += parallel) {
      const part = names.slice(at, at + parallel);
      const isShown = await Promise.all(part.map((name) => this.#isShown(name)));
      shown.push(...part.filter((_, i) => isShown[i]));
    }
    return shown;
  }

  /** Whether a member is a node. Members that cannot be read are shown: opening them tells why. */
  async #isShown(name: string): Promise<boolean> {
    if (name === "" || name.includes("/")) return false;
    try {
      return (await this.member(name)) !== undefined;
    } catch (error) {
      if (isZarrError(error, "InvalidMetadata", "Unsupported", "LimitExceeded")) return true;
      throw error;
    }
  }

  async member(name: string): Promise<FileNode | undefined> {
    if (!this.#nodes.has(name)) this.#nodes.set(name, await this.#open(name));
    return this.#nodes.get(name);
  }

  async #open(name: string): Promise<FileNode | undefined> {
    const links = await this.links();
    const link = links.get(otherName(name)) ?? links.get(name);
    if (!link) return undefined;
    const address = await this.objects.resolve(link, this.header.address);
    if (address === undefined) return undefined;
    const node = await this.objects.open(address, name, this);
    const isHidden = node instanceof HdfArray && isBareDimension(await node.ownAttributes());
    return isHidden ? undefined : node;
  }
}

const none: ReadonlySet<string> = new Set();
