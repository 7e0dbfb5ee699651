/** The graph of coordinate systems and transformations of an image or a scene, and paths in it. */

import { ZarrGroup } from "../../../hierarchy/group.js";
import { joinPath } from "../../../store/path.js";
import {
  asString,
  checkObject,
  checkSignalIn,
  isRecord,
  ownProperty,
  sharedOptions,
} from "../../../util/arguments.js";
import {
  describeValue,
  invalidArgument,
  notFound,
  unsupported,
  type ZarrError,
} from "../../../util/errors.js";
import { badAttribute } from "../../shared/attributes.js";
import {
  type CoordinateGraph,
  type CoordinateMapping,
  type CoordinateReference,
  type CoordinateSpace,
  type CoordinateTransformation,
  type MappingOptions,
  readCoordinateSystems,
} from "../coordinates.js";
import { minorVersion, multiscales, omeAttributes, readPath, readVersion } from "../ome.js";
import { budget, type Context, chain, identity, type Mapping, tooMany } from "./mapping.js";
import { mayHaveInverse, readMapping } from "./read.js";

/** Maximum number of transformations of a scene, including those of its images. */
const maxEdges = 10_000;
/** Maximum number of images that a scene refers to. */
const maxGroups = 1000;
/** Number of images that are opened in parallel. */
const concurrency = 8;
const defaultMaxBytes = 256 * 2 ** 20;

interface Edge extends CoordinateTransformation {
  readonly json: unknown;
  /** The group that holds it. */
  readonly group: ZarrGroup;
  readonly where: string;
}

/** A transformation in a path. */
interface Step {
  readonly transformation: Edge;
  readonly inverse: boolean;
}

const spaceKey = (path: string, name: string | undefined) => JSON.stringify([path, name]);

/** Implements `coordinateGraph`. */
export async function readGraph(
  group: ZarrGroup,
  options: { signal?: AbortSignal | undefined },
): Promise<CoordinateGraph> {
  if (!(group instanceof ZarrGroup))
    throw invalidArgument("coordinateGraph expects a group returned by open()");
  checkSignalIn(options);
  options.signal?.throwIfAborted();
  const builder = new GraphBuilder(group);
  await builder.read(options.signal);
  const { spaces, edges } = builder;
  return {
    spaces: [...spaces.values()],
    transformations: edges.map(({ type, name, input, output }) => ({ type, name, input, output })),
    between: (from, to, more = {}) => mappingBetween(builder, from, to, more),
  };
}

class GraphBuilder {
  readonly spaces = new Map<string, CoordinateSpace>();
  readonly edges: Edge[] = [];

  constructor(readonly group: ZarrGroup) {}

  async read(signal: AbortSignal | undefined): Promise<void> {
    const { group } = this;
    const ome = omeAttributes(group);
    const scene = ownProperty(ome, "scene");
    const hasImage = ownProperty(ome, "multiscales") !== undefined;
    if (scene === undefined && !hasImage)
      throw notFound(`the group at "/${group.path}" is neither an OME-Zarr image nor a scene`, {
        code: "no-convention",
      });
    this.#checkVersion(group);
    if (scene !== undefined && ownProperty(scene, "coordinateSystems") !== undefined)
      for (const system of readCoordinateSystems(ownProperty(scene, "coordinateSystems"), "scene"))
        this.#addSpace({ ...system, path: "" });
    const ofScene = scene === undefined ? [] : this.#readList(scene, "scene");
    const ofImage = hasImage ? this.#addImage(group, "") : [];
    const paths = [...new Set([...ofScene, ...ofImage].flatMap((json) => this.#endPaths(json)))];
    for (const [path, image] of await this.#openAll(paths, signal)) this.#addImage(image, path);
    this.#addEdges(ofScene, group, "", "scene");
    this.#addEdges(ofImage, group, "", "multiscales[0]");
  }

  #checkVersion(group: ZarrGroup): void {
    const images = ownProperty(omeAttributes(group), "multiscales");
    const image = Array.isArray(images) ? (images[0] as unknown) : undefined;
    const version = readVersion(group, image, "multiscales[0]");
    if (version !== undefined && minorVersion(version) >= 6) return;
    const versions = version === undefined ? "of before 0.6" : version;
    throw unsupported(
      `the coordinate systems of OME-Zarr ${versions} have no names; OME-Zarr 0.6 is required`,
      { code: "unsupported-ome" },
    );
  }

  #addSpace({ name, path, axes }: CoordinateSpace): void {
    const key = spaceKey(path, name);
    if (this.spaces.has(key))
      throw this.#bad(`"${path}" must have coordinate systems with unique names`, name);
    this.spaces.set(key, { name, path, axes });
  }

  /**
   * Adds the coordinate systems and levels of an image, and the transformations within it.
   * @returns its other transformations, which may lead to other groups.
   */
  #addImage(group: ZarrGroup, path: string): unknown[] {
    if (path !== "") this.#checkVersion(group);
    const [image] = multiscales(group);
    const { axes, levels, coordinateSystems } = image!;
    for (const system of coordinateSystems!) this.#addSpace({ ...system, path });
    const [json] = ownProperty(omeAttributes(group), "multiscales") as unknown[];
    const datasets = ownProperty(json, "datasets") as unknown[];
    for (const [i, level] of levels.entries()) {
      const at = joinPath(path, level.path);
      if (this.spaces.has(spaceKey(at, undefined))) continue; // the same array in two levels
      this.#addSpace({ name: undefined, path: at, axes });
      const [transformation] = ownProperty(datasets[i], "coordinateTransformations") as unknown[];
      const where = `multiscales[0].datasets[${i}]`;
      const ends = { input: { path: level.path }, output: { name: image!.intrinsic } };
      this.#addEdge({ ...(transformation as object), ...ends }, group, path, where);
    }
    const list =
      ownProperty(json, "coordinateTransformations") === undefined
        ? []
        : this.#readList(json, "multiscales[0]");
    if (path === "") return list;
    // Transformations to other groups are listed there, too.
    const isWithin = (entry: unknown) => this.#endPaths(entry).length === 0;
    this.#addEdges(list.filter(isWithin), group, path, "multiscales[0]");
    return [];
  }

  #readList(holder: unknown, where: string): unknown[] {
    const list = ownProperty(holder, "coordinateTransformations");
    if (!Array.isArray(list) || !list.every(isRecord))
      throw this.#bad(`${where}: "coordinateTransformations" must be a list of objects`, list);
    if (list.length > maxEdges) throw tooMany(`${list.length} transformations`, maxEdges);
    return list;
  }

  /** Returns the paths of the groups that contain a transformation's ends. */
  #endPaths(json: unknown): string[] {
    return ["input", "output"].flatMap((end) => {
      const path = ownProperty(ownProperty(json, end), "path");
      return path === undefined || path === null || path === "" ? [] : [this.#path(path, end)];
    });
  }

  #path(path: unknown, end: string): string {
    return readPath(path, `"${end}" of a transformation`);
  }

  async #openAll(
    paths: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<(readonly [string, ZarrGroup])[]> {
    if (paths.length > maxGroups) throw tooMany(`${paths.length} images`, maxGroups);
    const opened: (readonly [string, ZarrGroup])[] = [];
    let next = 0;
    const work = async () => {
      while (next < paths.length) {
        const i = next++;
        opened[i] = [paths[i]!, await this.group.open(paths[i]!, { kind: "group", signal })];
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, paths.length) }, work));
    return opened;
  }

  #addEdges(list: readonly unknown[], group: ZarrGroup, path: string, where: string): void {
    for (const [i, json] of list.entries())
      this.#addEdge(json, group, path, `${where}.coordinateTransformations[${i}]`);
  }

  #addEdge(json: unknown, group: ZarrGroup, path: string, place: string): void {
    const where = path === "" ? place : `"${path}": ${place}`;
    const type = asString(ownProperty(json, "type"));
    if (type === undefined || type === "")
      throw this.#bad(`${where} must have a type`, ownProperty(json, "type"));
    const [input, output] = (["input", "output"] as const).map((end) => {
      const reference = ownProperty(json, end);
      const found = this.spaces.get(this.#endKey(reference, path, end));
      if (!found) throw this.#bad(`${where}: "${end}" must name an existing coordinate system`, reference);
      return found;
    }) as [CoordinateSpace, CoordinateSpace];
    if (input === output)
      throw this.#bad(`${where} must lead to another coordinate system`, ownProperty(json, "output"));
    if (this.edges.length >= maxEdges) throw tooMany("the transformations of all images", maxEdges);
    this.edges.push({ type, name: asString(ownProperty(json, "name")), input, output, json, group, where });
  }

  /** @param base path of the group that holds the transformation. */
  #endKey(reference: unknown, base: string, end: string): string {
    if (typeof reference === "string") return spaceKey(base, reference); // drafts of 0.6 have only the name
    const path = ownProperty(reference, "path");
    const isHere = path === undefined || path === null || path === "";
    return spaceKey(
      isHere ? base : joinPath(base, this.#path(path, end)),
      asString(ownProperty(reference, "name")),
    );
  }

  #bad(what: string, found: unknown): ZarrError {
    return badAttribute(what, found);
  }
}

async function mappingBetween(
  graph: GraphBuilder,
  from: CoordinateReference,
  to: CoordinateReference,
  options: MappingOptions,
): Promise<CoordinateMapping> {
  checkSignalIn(options, { ...sharedOptions, interpolation: true, maxBytes: true });
  const { maxBytes = defaultMaxBytes, interpolation, signal } = options;
  if (typeof maxBytes !== "number" || !(maxBytes >= 0))
    throw invalidArgument(`maxBytes must be a number of bytes, got ${describeValue(maxBytes)}`);
  if (![undefined, "linear", "nearest"].includes(interpolation))
    throw invalidArgument(`interpolation must be "linear" or "nearest", got ${describeValue(interpolation)}`);
  signal?.throwIfAborted();
  const [input, output] = [spaceAt(graph, from), spaceAt(graph, to)];
  const steps = findPath(graph, input, output);
  const counts = budget(maxBytes);
  const parts: Mapping[] = [identity(input.axes.length)];
  for (const { transformation, inverse } of steps) {
    const { json, group, where } = transformation;
    const context: Context = { group, where, options, ...counts };
    const forward = await readMapping(json, transformation.input.axes.length, context);
    const wanted = transformation.output.axes.length;
    if (forward.outputs !== wanted)
      throw badAttribute(`${where} must lead to ${wanted} axes`, forward.outputs);
    parts.push(inverse ? forward.inverse() : forward);
  }
  const mapping = chain(parts);
  return {
    input,
    output,
    steps: steps.map(({ transformation: { type, name, input: a, output: b }, inverse }) => ({
      transformation: { type, name, input: a, output: b },
      inverse,
    })),
    matrix: mapping.matrix,
    apply: (points) => mapPoints(mapping, points),
  };
}

function spaceAt({ spaces }: GraphBuilder, reference: CoordinateReference): CoordinateSpace {
  const isText = typeof reference === "string";
  if (!isText) checkObject(reference, "a coordinate system");
  const name = isText ? reference : asString(ownProperty(reference, "name"));
  const path = isText ? "" : (asString(ownProperty(reference, "path")) ?? "").replace(/^\/+|\/+$/g, "");
  const found = spaces.get(spaceKey(path, name));
  if (found) return found;
  const known = [...spaces.values()].slice(0, 10).map((space) => label(space));
  throw notFound(`unknown coordinate system ${label({ name, path })}; expected one of ${known.join(", ")}`, {
    code: "no-transformation",
  });
}

const label = ({ name, path }: Pick<CoordinateSpace, "name" | "path">) =>
  [...(name === undefined ? [] : [JSON.stringify(name)]), ...(path === "" ? [] : [`at "${path}"`])].join(" ");

/**
 * Returns the path with the fewest transformations, inverted only if they may have an inverse.
 * @throws NotFound (no-transformation); Unsupported (not-invertible) if every path needs an inverse that does
 *   not exist.
 */
function findPath({ edges }: GraphBuilder, from: CoordinateSpace, to: CoordinateSpace): Step[] {
  const allowed = ({ json }: Edge) => mayHaveInverse(json);
  const found = shortest(edges, from, to, allowed);
  if (found) return found;
  const against = shortest(edges, from, to, () => true);
  if (!against)
    throw notFound(`no transformations lead from ${label(from)} to ${label(to)}`, {
      code: "no-transformation",
    });
  const { transformation } = against.find((step) => step.inverse && !allowed(step.transformation))!;
  throw unsupported(
    `the only path from ${label(from)} to ${label(to)} needs the inverse of ${transformation.where} (${transformation.type.slice(0, 60)}), which cannot be computed`,
    { code: "not-invertible" },
  );
}

function shortest(
  edges: readonly Edge[],
  from: CoordinateSpace,
  to: CoordinateSpace,
  hasInverse: (edge: Edge) => boolean,
): Step[] | undefined {
  const next = new Map<CoordinateSpace, Step[]>();
  const add = (space: CoordinateSpace, step: Step) => {
    const steps = next.get(space);
    if (steps) steps.push(step);
    else next.set(space, [step]);
  };
  for (const transformation of edges) {
    add(transformation.input, { transformation, inverse: false });
    if (hasInverse(transformation)) add(transformation.output, { transformation, inverse: true });
  }
  const reached = new Map<CoordinateSpace, Step | undefined>([[from, undefined]]);
  // A map is iterated in insertion order, including entries added during the iteration.
  for (const [space] of reached) {
    if (space === to) break;
    for (const step of next.get(space) ?? []) {
      const end = step.inverse ? step.transformation.input : step.transformation.output;
      if (!reached.has(end)) reached.set(end, step);
    }
  }
  if (!reached.has(to)) return undefined;
  const way: Step[] = [];
  for (let step = reached.get(to); step; ) {
    way.push(step);
    step = reached.get(step.inverse ? step.transformation.output : step.transformation.input);
  }
  return way.reverse();
}

function mapPoints(mapping: Mapping, points: ArrayLike<number>): Float64Array {
  checkObject(points, "points");
  const { inputs, outputs } = mapping;
  const count = points.length / inputs;
  if (!Number.isInteger(count))
    throw invalidArgument(
      `points of ${inputs} coordinates each, got ${describeValue(points.length)} numbers`,
    );
  const result = new Float64Array(count * outputs);
  const point = new Float64Array(inputs);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < inputs; axis++) point[axis] = points[i * inputs + axis]!;
    result.set(mapping.point(point), i * outputs);
  }
  return result;
}
