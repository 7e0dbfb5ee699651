/** WebGL2 renderer: textures of the elements' own types, everything else in the shader. */
import { pixelBytes } from "../base/color-tables.js";
import type { OutsideColors } from "../base/outside-colors.js";
import { scaleCurve, type ValueScale, valueScales } from "../base/value-scale.js";
import type { Tile } from "../tiles/tile.js";
import { Drawn } from "./drawn.js";
import { compileProgram, makeResources, type Program, type Resources, setPlace, unit } from "./gl.js";
import { labelEntries } from "./labels.js";
import { type Placed, placing } from "./placing.js";
import {
  dotDistance,
  hatchDistance,
  type MakingTime,
  makingTime,
  marks,
  type Renderer,
  type Scene,
  type SceneLayer,
} from "./renderer.js";
import { type SamplerKind, samplerType } from "./shaders.js";
import { layerColors, markedGaps, outsideOf } from "./table.js";
import type { Texels } from "./texels.js";
import { Textures, type TileTextures } from "./textures.js";

export class WebGLRenderer implements Renderer {
  readonly kind = "webgl";
  readonly #gl: WebGL2RenderingContext;
  #resources: Resources | undefined;
  readonly #textures: Textures;
  readonly #drawn = new Drawn();
  readonly #lose = (event: Event) => this.#onLost(event);
  readonly #restore = () => this.#onRestored();

  /** @throws if WebGL2 is unavailable. `onRestored` is called when a lost context is back. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    budgetBytes: number,
    private readonly onRestored: () => void,
  ) {
    // Preserved after compositing, so that the picture can be copied and saved.
    const options: WebGLContextAttributes = {
      antialias: false,
      depth: false,
      preserveDrawingBuffer: true,
      powerPreference: "low-power",
    };
    const gl = canvas.getContext("webgl2", options) as WebGL2RenderingContext | null;
    if (!gl) throw new Error("no WebGL2");
    this.#gl = gl;
    this.#textures = new Textures(gl, budgetBytes);
    this.#resources = makeResources(gl);
    canvas.addEventListener("webglcontextlost", this.#lose);
    canvas.addEventListener("webglcontextrestored", this.#restore);
  }

  get isAlive(): boolean {
    return this.#resources !== undefined && !this.#gl.isContextLost();
  }

  get bytes(): number {
    return this.#textures.bytes;
  }
  get budget(): number {
    return this.#textures.budget;
  }
  set budget(bytes: number) {
    this.#textures.budget = bytes;
  }

  #onLost(event: Event): void {
    event.preventDefault(); // otherwise it would never be restored
    this.#resources = undefined;
    this.#drawn.forget();
    this.#textures.clear();
  }

  #onRestored(): void {
    this.#resources = makeResources(this.#gl);
    this.onRestored();
  }

  forget(blockKey: string): void {
    this.#textures.forget(blockKey);
    this.#drawn.forget(); // its replacement may look different
  }

  dispose(): void {
    this.canvas.removeEventListener("webglcontextlost", this.#lose);
    this.canvas.removeEventListener("webglcontextrestored", this.#restore);
    this.#textures.clear();
    // Browsers limit the number of contexts: release this one now instead of waiting for garbage collection.
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  draw(scene: Scene): boolean {
    const resources = this.#resources;
    if (!resources || this.#gl.isContextLost()) return true;
    const gl = this.#gl;
    const { width, height } = placing(scene);
    if (this.canvas.width !== width || this.canvas.height !== height)
      Object.assign(this.canvas, { width, height });
    const time = { left: makingTime };
    const fresh = this.#drawn.fresh(scene);
    if (fresh) return this.#drawLayer(resources, scene, { ...scene.layers[0]!, tiles: fresh }, time);
    gl.viewport(0, 0, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.#clear(scene);
    this.#drawn.begin(scene);
    let isWhole = true;
    for (const [i, layer] of scene.layers.entries()) {
      if (i > 0) this.#beginLayer(resources, width, height, layer);
      isWhole = this.#drawLayer(resources, scene, layer, time) && isWhole;
      if (i > 0) this.#endLayer(resources, layer);
    }
    return isWhole;
  }

  /** Paints the ground and the paper, which tiles will cover. */
  #clear(scene: Scene): void {
    const gl = this.#gl;
    gl.clearColor(...unit(scene.ground), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.#cutOff(scene);
    gl.clearColor(...unit(scene.paper), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
  }

  /**
   * Clips drawing to the array until the scissor test is disabled: coarse levels may extend beyond its edge,
   * where no finer tiles would cover them.
   */
  #cutOff(scene: Scene): void {
    const gl = this.#gl;
    const where = placing(scene);
    const { left, right, top, bottom } = where.place(scene.extent);
    const [from, to] = [Math.max(0, left), Math.min(right, where.width)];
    const [low, high] = [Math.min(top, bottom), Math.max(top, bottom)];
    const [first, last] = [Math.max(0, low), Math.min(high, where.height)];
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(from, where.height - last, Math.max(0, to - from), Math.max(0, last - first));
  }

  /** Starts drawing into a separate texture. */
  #beginLayer({ layer }: Resources, width: number, height: number, { style }: SceneLayer): void {
    const gl = this.#gl;
    gl.bindTexture(gl.TEXTURE_2D, layer.texture);
    if (layer.width !== width || layer.height !== height) {
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      Object.assign(layer, { width, height });
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, layer.frame);
    // An unread mask hides nothing.
    if (style.blend === "mask") gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.clearColor(0, 0, 0, 0);
  }

  #endLayer(resources: Resources, { style }: SceneLayer): void {
    const gl = this.#gl;
    const copy = compileProgram(gl, resources, "copy");
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.useProgram(copy.program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, resources.layer.texture);
    gl.uniform1i(copy.at("picture"), 0);
    gl.uniform4f(copy.at("place"), -1, 1, 1, -1);
    gl.enable(gl.BLEND);
    if (style.blend === "mask") gl.blendFunc(gl.ZERO, gl.SRC_ALPHA);
    else gl.blendFunc(gl.ONE, style.blend === "add" ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.BLEND);
  }

  #drawLayer(resources: Resources, scene: Scene, layer: SceneLayer, time: MakingTime): boolean {
    const gl = this.#gl;
    const where = placing(scene);
    const { style } = layer;
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, resources.colours);
    const table = new Uint8Array(layerColors(style).buffer);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, 0);
    // 65,536 colours of labels are 256 rows.
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, table.length >> 10, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
    gl.activeTexture(gl.TEXTURE0);
    let isWhole = true;
    this.#cutOff(scene);
    for (const tile of layer.tiles) {
      const placed = where.place(tile.world);
      if (!where.isSeen(placed)) continue;
      const textures = this.#textures.of(tile, style.kind === "labels", time);
      if (!textures) {
        isWhole = false;
        continue;
      }
      this.#drawTile(resources, layer, tile, textures, placed, where);
      this.#drawGaps(resources, markedGaps(tile, style), placed, where, scene.ratio);
      this.#drawn.add(tile);
    }
    gl.disable(gl.SCISSOR_TEST);
    return isWhole;
  }

  #drawTile(
    resources: Resources,
    { style, low, high }: SceneLayer,
    tile: Tile,
    { patches }: TileTextures,
    placed: Placed,
    where: { readonly width: number; readonly height: number },
  ): void {
    const gl = this.#gl;
    const [scaleX, scaleY] = [
      (placed.right - placed.left) / tile.plane.columns,
      (placed.bottom - placed.top) / tile.plane.rows,
    ];
    const isReduced = Math.min(scaleX, Math.abs(scaleY)) < 0.95;
    for (const { texture, texels, rows, columns } of patches) {
      const { program, at } = compileProgram(gl, resources, samplerType(texels.type));
      gl.useProgram(program);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(at("values"), 0);
      gl.uniform1i(at("colours"), 1);
      const isEntries = style.kind === "labels" && labelEntries(tile) !== undefined;
      gl.uniform1i(at("mode"), style.kind !== "labels" ? 0 : isEntries ? 2 : 1);
      this.#setRange(at, samplerType(texels.type), texels, low, high);
      this.#setScale(at, style.scale, texels, low, high);
      const outside = outsideOf(style);
      gl.uniform1i(at("marked"), outside && style.outside === "mark" ? 1 : 0);
      const ends = outside ?? endsOf(layerColors(style));
      gl.uniform3f(at("below"), ...unit(ends.below));
      gl.uniform3f(at("above"), ...unit(ends.above));
      // A mixed colour would be another label's.
      gl.uniform1i(at("grain"), isReduced && style.kind !== "labels" ? 2 : 1);
      gl.uniform1f(at("opacity"), style.opacity);
      gl.uniform4f(at("part"), 0, 0, texels.columns, texels.rows);
      const [left, right] = columns.map((column) => placed.left + Math.round(column * scaleX)) as [
        number,
        number,
      ];
      const [top, bottom] = rows.map((row) => placed.top + Math.round(row * scaleY)) as [number, number];
      setPlace(gl, at, { left, top, right, bottom }, where);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  #setRange(
    at: Program["at"],
    kind: SamplerKind,
    { middle, factor }: Omit<Texels, "data">,
    low: number,
    high: number,
  ): void {
    const gl = this.#gl;
    const [from, to] = [(low / 2 - middle / 2) * factor * 2, (high / 2 - middle / 2) * factor * 2];
    const scale = Math.fround(128 / (to / 2 - from / 2));
    const isFlat = !(to > from && Number.isFinite(scale) && scale > 0);
    const limits = kind === "uint" ? [0, 2 ** 32 - 1] : [-(2 ** 31), 2 ** 31 - 1];
    const whole = Math.min(Math.max(Math.floor(from), limits[0]!), limits[1]!);
    if (kind === "uint") gl.uniform1ui(at("whole"), whole);
    else if (kind === "int") gl.uniform1i(at("whole"), whole);
    gl.uniform2f(at("low"), kind === "float" ? from : from - whole, isFlat ? 1 : 0);
    gl.uniform1f(at("scale"), isFlat ? 1 : scale);
  }

  /** Uniforms of a logarithmic scale, which is computed from whole values in the precision of floats. */
  #setScale(
    at: Program["at"],
    scale: ValueScale,
    { middle, factor: stretch }: Omit<Texels, "data">,
    low: number,
    high: number,
  ): void {
    const gl = this.#gl;
    const { start, factor, threshold } = scaleCurve(scale, low, high);
    const isBent = scale !== "linear" && high > low && Number.isFinite(factor);
    gl.uniform1i(at("bend"), isBent ? valueScales.indexOf(scale) : 0);
    if (!isBent) return;
    gl.uniform2f(at("real"), middle, 1 / stretch);
    gl.uniform3f(at("curve"), start, factor, threshold);
  }

  #drawGaps(
    resources: Resources,
    { gaps, plane }: Pick<Tile, "gaps" | "plane">,
    placed: Placed,
    where: { readonly width: number; readonly height: number },
    ratio: number,
  ): void {
    if (gaps.length === 0) return;
    const gl = this.#gl;
    const { program, at } = compileProgram(gl, resources, "pattern");
    gl.useProgram(program);
    const across = (column: number) =>
      Math.round(placed.left + ((placed.right - placed.left) * column) / plane.columns);
    const down = (row: number) => Math.round(placed.top + ((placed.bottom - placed.top) * row) / plane.rows);
    for (const { kind, rows, columns } of gaps) {
      const isDamaged = kind === "damaged";
      gl.uniform1i(at("pattern"), isDamaged ? 0 : 1);
      gl.uniform1f(at("distance_"), Math.round((isDamaged ? hatchDistance : dotDistance) * ratio));
      gl.uniform3f(at("light"), ...unit(marks.hatchLight));
      gl.uniform3f(at("dark"), ...unit(isDamaged ? marks.hatchDark : marks.dot));
      const place = {
        left: across(columns[0]),
        right: across(columns[1]),
        top: down(rows[0]),
        bottom: down(rows[1]),
      };
      setPlace(gl, at, place, where);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }
}

/** The first and the last colour of a map that leaves no others for values outside its range. */
const endsOf = (table: Uint32Array): OutsideColors => ({
  below: pixelBytes(table[0]!),
  above: pixelBytes(table[255]!),
});
