/** Draws volumes: one ray per pixel, in parts of the picture, so that no draw call takes long. */
import { pixelBytes } from "../base/color-tables.js";
import { keptFor } from "../base/memo.js";
import { linkProgram, type Program, setLabelLook, setNearest, setWhole, unit } from "../draw/gl.js";
import { codeLook } from "../draw/label-look.js";
import type { Rgb } from "../draw/renderer.js";
import { beginPicture, type LiveContext } from "../draw/shared-context.js";
import type { LayerStyle } from "../model/layers.js";
import type { VolumeMode } from "../model/volume.js";
import { placeOf, shortestWay, spaceMatrices, type VolumeSpace } from "./affine.js";
import type { Atlas } from "./atlas.js";
import { brickGrid, map3, type VolumeLevel } from "./bricks.js";
import { castRays, type Plane, type VolumeViewpoint, visiblePart } from "./camera.js";
import { rayColors } from "./labels.js";
import { opacityTable, opaqueEntries, type RayMode } from "./modes.js";
import { placesRow, type RayFeatures, volumeShader } from "./shaders.js";

/** A layer of a picture of a volume. */
export interface VolumeSceneLayer {
  readonly atlas: Atlas;
  /** Finest first. */
  readonly levels: readonly VolumeLevel[];
  readonly style: LayerStyle;
  readonly low: number;
  readonly high: number;
}

export interface VolumeScene {
  readonly view: VolumeViewpoint;
  readonly mode: VolumeMode;
  /** Value of the surface as a share of the range. */
  readonly surface: number;
  /** Samples per voxel. */
  readonly samples: number;
  /** Whether samples are interpolated. */
  readonly isSmooth: boolean;
  readonly ground: Rgb;
  readonly slices: readonly Plane[];
  readonly layers: readonly VolumeSceneLayer[];
}

/** A part of a picture that is drawn in a smaller size. */
export interface PicturePart {
  /** Pixels of the view per pixel of the picture. */
  readonly grain: number;
  /** Rows of the picture, counted from the top. */
  readonly top: number;
  readonly bottom: number;
}

/** Programs of a context, compiled on first use. */
const programsOf = keptFor((_live: LiveContext) => new Map<string, Program>());

function programFor(live: LiveContext, mode: RayMode, features: RayFeatures): Program {
  const programs = programsOf(live);
  const key = JSON.stringify([mode, features]);
  const program = programs.get(key) ?? linkProgram(live.gl, volumeShader(mode, features));
  programs.set(key, program);
  return program;
}

/** The size of a picture in its own pixels. */
export const pictureSize = ({ width, height }: VolumeViewpoint, grain: number) => ({
  width: Math.max(1, Math.ceil(width / grain)),
  height: Math.max(1, Math.ceil(height / grain)),
});

/** Draws a part of a picture into the lower left corner of the drawing buffer. */
export function drawVolume(live: LiveContext, scene: VolumeScene, part: PicturePart): void {
  const { gl } = live;
  const { width, height } = pictureSize(scene.view, part.grain);
  beginPicture(live, width, height);
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(0, height - part.bottom, width, part.bottom - part.top);
  gl.clearColor(...unit(scene.ground), 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  for (const [i, layer] of scene.layers.entries()) {
    const isLabels = layer.style.kind === "labels";
    const { space } = scene.view;
    const features = {
      isAligned: layer.levels.every(isAligned),
      hasSlices: scene.slices.length > 0,
      isEven: space.places === undefined,
    };
    const { program, at } = programFor(live, isLabels ? "labels" : scene.mode, features);
    gl.useProgram(program);
    layer.atlas.bind(scene.isSmooth && !isLabels);
    sendColors(live, scene, layer);
    setView(gl, at, scene, layer, part.grain);
    setLayer(gl, at, scene, layer);
    if (space.places) setPlaces(live, at, space);
    setSlices(gl, at, scene, layer.style);
    // Channels are added to the first; labels cover them.
    if (i > 0 || isLabels) gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, isLabels ? gl.ONE_MINUS_SRC_ALPHA : gl.ONE);
    gl.uniform4fv(at("ground"), i > 0 || isLabels ? [0, 0, 0, 0] : [...unit(scene.ground), 1]);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
  gl.disable(gl.BLEND);
  gl.disable(gl.SCISSOR_TEST);
}

/**
 * Uploads the colours of a layer: one for each of the first labels, in rows; or 256 with the opacity of one voxel of
 * level 0, followed by a row for each level with the opacity of one of its samples.
 */
function sendColors({ gl, resources }: LiveContext, scene: VolumeScene, { style, levels }: VolumeSceneLayer) {
  const table = rayColors(style);
  gl.activeTexture(gl.TEXTURE3);
  gl.bindTexture(gl.TEXTURE_2D, resources.colours);
  if (style.kind === "labels") {
    const rows = table.length / 256;
    const bytes = new Uint8Array(table.buffer, table.byteOffset, 1024 * rows);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return;
  }
  const intervals = scene.mode === "composite" ? levels.map((level) => sampleInterval(scene, level)) : [];
  const rows = 1 + intervals.length;
  const texels = new Float32Array(4 * 256 * rows);
  const opacities = opacityTable(style.curve);
  for (const [i, color] of table.entries()) {
    const own = opacities[i]!;
    texels.set([...unit(pixelBytes(color)), own], 4 * i);
    for (const [k, interval] of intervals.entries())
      texels.set(
        [...texels.subarray(4 * i, 4 * i + 3), 1 - (1 - Math.min(own, 0.999)) ** interval],
        4 * (256 * (k + 1) + i),
      );
  }
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA16F, 256, rows, 0, gl.RGBA, gl.FLOAT, texels);
}

/** Distance between samples of a level. */
const sampleInterval = ({ view, samples }: VolumeScene, level: VolumeLevel): number =>
  shortestWay(view.space, level) / samples;

/** Uniforms of the rays and the levels. */
function setView(
  gl: WebGL2RenderingContext,
  at: Program["at"],
  scene: VolumeScene,
  { levels, style }: VolumeSceneLayer,
  grain: number,
): void {
  const { view } = scene;
  const rays = castRays(view);
  for (const name of ["from", "right", "down", "forward"] as const) gl.uniform3f(at(name), ...rays[name]);
  setWhole(gl, at);
  gl.uniform2f(
    at("middle"),
    view.width / 2 / grain,
    pictureSize(view, grain).height - view.height / 2 / grain,
  );
  gl.uniform1f(at("grain"), grain);
  gl.uniform1f(at("pixel"), rays.pixel);
  gl.uniform1i(at("isPerspective"), rays.isPerspective ? 1 : 0);
  const { box, normal, offset } = visiblePart(view);
  // Labels may cover a part of the image.
  const { origin, factor, shape } = levels[0]!;
  const own = (i: number) => origin[i]! + shape[i]! * factor[i]!;
  const boxFrom = map3((i) => Math.max(box.from[i]!, origin[i]!));
  const boxTo = map3((i) => Math.min(box.to[i]!, own(i)));
  gl.uniform3f(at("boxFrom"), ...placeOf(view.space, boxFrom));
  gl.uniform3f(at("boxTo"), ...placeOf(view.space, boxTo));
  gl.uniform4f(at("plane"), ...normal, offset);
  const [toSpace, toVoxels] = spaceMatrices(view.space);
  gl.uniformMatrix3fv(at("space"), false, toSpace);
  gl.uniformMatrix3fv(at("voxels"), false, toVoxels);
  gl.uniform3fv(
    at("origins"),
    levels.flatMap(({ origin }) => [...origin]),
  );
  gl.uniform3fv(
    at("factors"),
    levels.flatMap(({ factor }) => [...factor]),
  );
  const steps = levels.flatMap((level) => {
    const [interval, middle] = [sampleInterval(scene, level), shortestWay(view.space, level) / 2];
    // No sample of labels lies on the face where the volume is cut, in one of two voxels.
    const first = style.kind === "labels" ? Math.min(middle, interval / 2) : middle;
    return [interval, isAligned(level) ? 1 : 0, first];
  });
  gl.uniform3fv(at("steps"), steps);
  gl.uniform3fv(
    at("lastBricks"),
    levels.flatMap((level) => brickGrid(level).map((count) => count - 1)),
  );
  for (const [i, name] of ["atlas", "pages", "bricks", "colours", "cells"].entries())
    gl.uniform1i(at(name), i);
}

/** The table of places of a context, and those it has. */
const placesTable = keptFor(({ gl }: LiveContext) => {
  const texture = gl.createTexture();
  gl.activeTexture(gl.TEXTURE5);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  setNearest(gl);
  return { texture, places: undefined as VolumeSpace["places"] };
});

/** Binds the table of the places of the middles of voxels. */
function setPlaces(live: LiveContext, at: Program["at"], { places, extent }: VolumeSpace): void {
  const { gl } = live;
  const counts = map3((i) => (places![i] ? extent[i]! : 0));
  const rows = map3((i) => Math.ceil(counts[i]! / placesRow));
  const starts = [0, rows[0], rows[0] + rows[1]] as const;
  const table = placesTable(live);
  gl.activeTexture(gl.TEXTURE5);
  gl.bindTexture(gl.TEXTURE_2D, table.texture);
  if (table.places !== places) {
    const height = rows[0] + rows[1] + rows[2];
    const texels = new Float32Array(placesRow * height);
    for (const [axis, one] of places!.entries())
      for (let i = 0; i < counts[axis]!; i++) texels[starts[axis]! * placesRow + i] = one!.toWorld(i + 0.5);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, placesRow, height, 0, gl.RED, gl.FLOAT, texels);
    table.places = places;
  }
  gl.uniform1i(at("places"), 5);
  gl.uniform3i(at("placeRows"), ...starts);
  gl.uniform3i(at("placeCounts"), ...counts);
}

function setSlices(
  gl: WebGL2RenderingContext,
  at: Program["at"],
  { slices, isSmooth }: VolumeScene,
  { isSmooth: isInterpolated, kind }: LayerStyle,
): void {
  gl.uniform1i(at("sliceCount"), slices.length);
  gl.uniform1i(at("isSliceSmooth"), isSmooth && isInterpolated && kind !== "labels" ? 1 : 0);
  if (slices.length === 0) return;
  const planes = slices.flatMap(({ normal, offset }) => [...normal, offset]);
  gl.uniform4fv(at("slices"), planes);
}

/** Whether the bricks of a level consist of whole bricks of level 0. */
const isAligned = ({ origin, factor }: VolumeLevel): boolean =>
  origin.every((at) => at === 0) && factor.every((length) => Number.isInteger(length));

/** Uniforms of the values of a layer, in units of its texels. */
function setLayer(
  gl: WebGL2RenderingContext,
  at: Program["at"],
  { surface }: VolumeScene,
  { atlas, style, low, high }: VolumeSceneLayer,
): void {
  const [from, to] = [low / atlas.unit, high / atlas.unit];
  gl.uniform3f(at("range"), from, to > from ? 256 / (to - from) : 1e30, to);
  const [first, end] = opaqueEntries(style.curve);
  const limit = (entry: number) =>
    entry === 0 ? -3e38 : entry === 256 ? 3e38 : from + (entry / 256) * (to - from);
  gl.uniform2f(at("opaque"), limit(first), limit(end));
  gl.uniform1f(at("surface"), from + surface * (to - from));
  gl.uniform1f(at("unit"), atlas.unit);
  gl.uniform1f(at("opacity"), style.opacity);
  if (style.kind === "labels") setLabelLook(gl, at, codeLook(style));
}
