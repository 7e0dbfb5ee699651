/** Draws volumes: one ray per pixel, in parts of the picture, so that no draw call takes long. */
import { keptFor } from "../base/memo.js";
import { linkProgram, type Program, unit } from "../draw/gl.js";
import type { Rgb } from "../draw/renderer.js";
import { beginPicture, type LiveContext } from "../draw/shared-context.js";
import { layerColors } from "../draw/table.js";
import type { LayerStyle } from "../model/layers.js";
import type { VolumeMode } from "../model/volume.js";
import type { Atlas } from "./atlas.js";
import type { VolumeLevel } from "./bricks.js";
import { castRays, type VolumeViewpoint } from "./camera.js";
import { volumeShader } from "./shaders.js";

/** A layer of a picture of a volume. */
export interface VolumeSceneLayer {
  readonly atlas: Atlas;
  readonly style: LayerStyle;
  readonly low: number;
  readonly high: number;
}

export interface VolumeScene {
  readonly view: VolumeViewpoint;
  /** Finest first. */
  readonly levels: readonly VolumeLevel[];
  readonly mode: VolumeMode;
  /** Value of the surface as a share of the range. */
  readonly surface: number;
  /** Samples per voxel. */
  readonly samples: number;
  readonly ground: Rgb;
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
const programsOf = keptFor((_live: LiveContext) => new Map<VolumeMode, Program>());

function programFor(live: LiveContext, mode: VolumeMode): Program {
  const programs = programsOf(live);
  const program = programs.get(mode) ?? linkProgram(live.gl, volumeShader(mode));
  programs.set(mode, program);
  return program;
}

/** The size of a picture in its own pixels. */
export const pictureSize = ({ width, height }: VolumeViewpoint, grain: number) => ({
  width: Math.max(1, Math.ceil(width / grain)),
  height: Math.max(1, Math.ceil(height / grain)),
});

/** Draws a part of a picture into the lower left corner of the drawing buffer. */
export function drawVolume(live: LiveContext, scene: VolumeScene, part: PicturePart): void {
  const { gl, resources } = live;
  const { width, height } = pictureSize(scene.view, part.grain);
  beginPicture(live, width, height);
  const { program, at } = programFor(live, scene.mode);
  gl.useProgram(program);
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(0, height - part.bottom, width, part.bottom - part.top);
  setView(gl, at, scene, part.grain);
  for (const [i, layer] of scene.layers.entries()) {
    layer.atlas.bind();
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, resources.colours);
    const table = new Uint8Array(layerColors(layer.style).buffer, 0, 1024);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
    setLayer(gl, at, scene, layer);
    // Channels are added to the first.
    if (i > 0) gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    const ground = i > 0 ? [0, 0, 0, 0] : [...unit(scene.ground), 1];
    gl.uniform4fv(at("ground"), ground);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
  gl.disable(gl.BLEND);
  gl.disable(gl.SCISSOR_TEST);
}

/** Uniforms of the rays and the levels. */
function setView(
  gl: WebGL2RenderingContext,
  at: Program["at"],
  { view, levels, samples }: VolumeScene,
  grain: number,
): void {
  const rays = castRays(view);
  for (const name of ["from", "right", "down", "forward"] as const) gl.uniform3f(at(name), ...rays[name]);
  gl.uniform4f(at("place"), -1, 1, 1, -1);
  gl.uniform2f(
    at("middle"),
    view.width / 2 / grain,
    pictureSize(view, grain).height - view.height / 2 / grain,
  );
  gl.uniform1f(at("grain"), grain);
  gl.uniform1f(at("pixel"), rays.pixel);
  gl.uniform1i(at("isPerspective"), rays.isPerspective ? 1 : 0);
  gl.uniform3f(at("extent"), ...view.space.extent);
  gl.uniform3f(at("spacing"), ...view.space.spacing);
  gl.uniform3fv(
    at("origins"),
    levels.flatMap(({ origin }) => [...origin]),
  );
  gl.uniform3fv(
    at("factors"),
    levels.flatMap(({ factor }) => [...factor]),
  );
  const steps = levels.flatMap((level) => {
    const shortest = Math.min(...level.factor.map((factor, i) => Math.abs(factor * view.space.spacing[i]!)));
    return [shortest / samples, isAligned(level) ? 1 : 0, shortest / 2];
  });
  gl.uniform3fv(at("steps"), steps);
  for (const [i, name] of ["atlas", "pages", "bricks", "colours"].entries()) gl.uniform1i(at(name), i);
}

/** Whether the bricks of a level consist of whole bricks of level 0. */
const isAligned = ({ origin, factor }: VolumeLevel): boolean =>
  origin.every((at) => at === 0) && factor.every((length) => Number.isInteger(length));

/** Uniforms of the values of a layer, in units of its texels. */
function setLayer(
  gl: WebGL2RenderingContext,
  at: Program["at"],
  { surface }: VolumeScene,
  { atlas, low, high }: VolumeSceneLayer,
): void {
  const [from, to] = [low / atlas.unit, high / atlas.unit];
  gl.uniform3f(at("range"), from, to > from ? 256 / (to - from) : 1e30, to);
  gl.uniform1f(at("surface"), from + surface * (to - from));
  gl.uniform2i(at("row"), atlas.row, atlas.row);
}
