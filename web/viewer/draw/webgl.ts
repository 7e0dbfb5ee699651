/** WebGL2 renderer: textures of the elements' own types, everything else in the shader. */
import { pixelBytes } from "../base/color-tables.js";
import { applied, identityMatrix, inverse } from "../base/matrix.js";
import type { OutsideColors } from "../base/outside-colors.js";
import { scaleCurve, type ValueScale, valueScales } from "../base/value-scale.js";
import type { Rectangle } from "../model/camera.js";
import type { Tile } from "../tiles/tile.js";
import { Drawn } from "./drawn.js";
import { compileProgram, type Program, setLabelLook, setPlace, setWhole, unit } from "./gl.js";
import { codeLook, needsCodes } from "./label-look.js";
import {
  type Grain,
  grainOf,
  intersection,
  type PlacedTile,
  type Placing,
  paperBoxes,
  partPlace,
  pixelBox,
  placedTile,
  placing,
} from "./placing.js";
import {
  gapPattern,
  hatchDistance,
  type MakingTime,
  type Pattern,
  type Renderer,
  type Scene,
  type SceneLayer,
  timeFor,
} from "./renderer.js";
import { type SamplerKind, samplerType } from "./shaders.js";
import {
  beginPicture,
  copyPicture,
  type LiveContext,
  type PixelBox,
  SharedContext,
} from "./shared-context.js";
import { layerColors, markedGaps, outsideOf } from "./table.js";
import type { Texels } from "./texels.js";
import type { TileTextures } from "./textures.js";

export class WebGLRenderer implements Renderer {
  readonly kind = "webgl";
  readonly #shared: SharedContext;
  readonly #target: CanvasRenderingContext2D;
  readonly #drawn = new Drawn();
  readonly #restore: () => void;

  /** @throws if WebGL2 is unavailable. `onRestored` is called when a lost context is back. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    budgetBytes: number,
    onRestored: () => void,
  ) {
    this.#restore = () => {
      this.#drawn.forget();
      this.budget = this.#budget;
      onRestored();
    };
    this.#shared = SharedContext.join(this.#restore);
    this.#target = canvas.getContext("2d")!;
    this.#budget = budgetBytes;
    this.budget = budgetBytes;
  }

  /** The textures of all pictures share one budget, as their blocks do. */
  #budget: number;
  get budget(): number {
    return this.#budget;
  }
  set budget(bytes: number) {
    this.#budget = bytes;
    if (this.#shared.live) this.#shared.live.textures.budget = bytes;
  }

  forget(blockKey: string): void {
    this.#shared.live?.textures.forget(blockKey);
    this.#drawn.forget(); // its replacement may look different
  }

  dispose(): void {
    this.#shared.leave(this.#restore);
  }

  draw(scene: Scene): boolean {
    const { live } = this.#shared;
    if (!live) return true;
    const { width, height } = placing(scene);
    if (this.canvas.width !== width || this.canvas.height !== height)
      Object.assign(this.canvas, { width, height });
    const fresh = this.#drawn.fresh(scene);
    beginPicture(live, width, height);
    const picture = new PictureDrawing(live, scene, this.#drawn);
    if (!fresh) {
      this.#drawn.begin(scene);
      picture.drawAll();
    } else if (fresh.length > 0) picture.drawLayer({ ...scene.layers[0]!, tiles: fresh });
    if (!fresh) copyPicture(live, this.#target);
    else if (picture.boxes.length > 0) copyPicture(live, this.#target, picture.boxes);
    return picture.isWhole;
  }
}

/** Draws one picture into the drawing buffer. */
class PictureDrawing {
  readonly #gl: WebGL2RenderingContext;
  readonly #where: Placing;
  readonly #time: MakingTime;
  /** The drawn parts. */
  readonly boxes: PixelBox[] = [];
  /** False if there was no time for the textures of all tiles. */
  isWhole = true;

  constructor(
    private readonly live: LiveContext,
    private readonly scene: Scene,
    private readonly drawn: Drawn,
  ) {
    this.#gl = live.gl;
    this.#where = placing(scene);
    this.#time = timeFor(scene);
  }

  drawAll(): void {
    this.#clear();
    this.#layPaper();
    for (const [i, layer] of this.scene.layers.entries()) {
      if (i > 0) this.#beginLayer(layer);
      this.drawLayer(layer);
      if (i > 0) this.#endLayer(layer);
    }
  }

  /** Paints the ground and the paper, which tiles will cover. */
  #clear(): void {
    const { scene } = this;
    const gl = this.#gl;
    gl.clearColor(...unit(scene.ground), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.#cutOff(scene.extent);
    setWhole(gl, this.#usePattern(gapPattern("unread", scene)));
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.SCISSOR_TEST);
  }

  /** Paints plain paper below the tiles of further layers: only unread parts stay hatched. */
  #layPaper(): void {
    const gl = this.#gl;
    const boxes = paperBoxes(this.scene, this.#where);
    gl.clearColor(...unit(this.scene.paper), 1);
    gl.enable(gl.SCISSOR_TEST);
    for (const { left, top, right, bottom } of boxes) {
      gl.scissor(left, this.#where.height - bottom, right - left, bottom - top);
      gl.clear(gl.COLOR_BUFFER_BIT);
    }
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
  }

  #usePattern({ light, dark }: Pattern): Program["at"] {
    const gl = this.#gl;
    const { program, at } = compileProgram(gl, this.live.resources, "pattern");
    gl.useProgram(program);
    gl.uniform1i(at("pattern"), light ? 0 : 1);
    gl.uniform1f(at("distance_"), Math.round(hatchDistance * this.scene.ratio));
    gl.uniform3f(at("light"), ...unit(light ?? dark));
    gl.uniform3f(at("dark"), ...unit(dark));
    return at;
  }

  /**
   * Clips drawing to a plane until the scissor test is disabled: coarse levels may extend beyond its edge,
   * where no finer tiles would cover them.
   */
  #cutOff(world: Rectangle): void {
    const gl = this.#gl;
    const { left, right, top, bottom } = this.#where.seenPart(this.#where.place(world));
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(left, this.#where.height - bottom, Math.max(0, right - left), Math.max(0, bottom - top));
  }

  /** Starts drawing into a separate texture. */
  #beginLayer({ style }: SceneLayer): void {
    const gl = this.#gl;
    const { layer } = this.live.resources;
    const width = Math.max(layer.width, this.#where.width);
    const height = Math.max(layer.height, this.#where.height);
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

  #endLayer({ style }: SceneLayer): void {
    const gl = this.#gl;
    const { resources } = this.live;
    const copy = compileProgram(gl, resources, "copy");
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.useProgram(copy.program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, resources.layer.texture);
    gl.uniform1i(copy.at("picture"), 0);
    setWhole(gl, copy.at);
    gl.enable(gl.BLEND);
    if (style.blend === "mask") gl.blendFunc(gl.ZERO, gl.SRC_ALPHA);
    else gl.blendFunc(gl.ONE, style.blend === "add" ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.BLEND);
  }

  drawLayer(layer: SceneLayer): void {
    const gl = this.#gl;
    const where = this.#where;
    const { style } = layer;
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.live.resources.colours);
    const table = new Uint8Array(layerColors(style).buffer);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, 0);
    // 65,536 colours of labels are 256 rows.
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, table.length >> 10, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
    gl.activeTexture(gl.TEXTURE0);
    if (!layer.turn) this.#cutOff(layer.extent ?? this.scene.extent);
    for (const tile of layer.tiles) {
      const placed = placedTile(tile, layer, this.scene, where);
      const box = pixelBox(placed, layer, this.scene, where);
      if (box.left >= box.right || box.top >= box.bottom) continue;
      const textures = this.live.textures.of(tile, style.kind === "labels", this.#time);
      if (!textures) {
        this.isWhole = false;
        continue;
      }
      this.#drawTile(layer, placed, textures);
      this.#drawGaps(markedGaps(tile, style, style === this.scene.layers[0]!.style), placed);
      this.boxes.push(box);
      this.drawn.add(tile);
    }
    gl.disable(gl.SCISSOR_TEST);
  }

  /** Sets the texture and the colours of a part of a tile. */
  #useTile(
    { style, low, high }: SceneLayer,
    tile: Tile,
    { texture, texels }: TileTextures["patches"][number],
    grain: Grain,
  ): Program["at"] {
    const gl = this.#gl;
    const { program, at } = compileProgram(gl, this.live.resources, samplerType(texels.type));
    gl.useProgram(program);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(at("values"), 0);
    gl.uniform1i(at("colours"), 1);
    const isEntries = style.kind === "labels" && needsCodes(tile);
    gl.uniform1i(at("mode"), style.kind !== "labels" ? 0 : isEntries ? 2 : 1);
    this.#setRange(at, samplerType(texels.type), texels, low, high);
    this.#setScale(at, style.scale, texels, low, high);
    const outside = outsideOf(style);
    gl.uniform1i(at("marked"), outside ? 1 : 0);
    const ends = outside ?? endsOf(layerColors(style));
    gl.uniform3f(at("below"), ...unit(ends.below));
    gl.uniform3f(at("above"), ...unit(ends.above));
    gl.uniform2i(at("grain"), ...grain);
    gl.uniform1f(at("opacity"), style.opacity);
    setLabelLook(gl, at, style.kind === "labels" ? codeLook(style) : undefined);
    return at;
  }

  /** Turned tiles are parallelograms, whose pixels the shader maps back to elements. */
  #drawTile(layer: SceneLayer, placed: PlacedTile, { patches }: TileTextures): void {
    const gl = this.#gl;
    const { tile, matrix, seen, isTurned } = placed;
    const grain = grainOf(placed, layer);
    // Edges of upright tiles are rounded to whole pixels, edges of the elements inside are not.
    const toElements = isTurned ? identityMatrix : inverse(matrix);
    if (!toElements) return;
    for (const patch of patches) {
      const { texels, rows, columns } = patch;
      const own = intersection(seen, rectangleOf(rows, columns));
      if (own.left >= own.right || own.top >= own.bottom) continue;
      const at = this.#useTile(layer, tile, patch, grain);
      const place = isTurned ? own : partPlace(placed, rectangleOf(rows, columns), this.#where);
      const texel = (x: number, y: number) => {
        const [column, row] = applied(toElements, x, y);
        return [
          ((column - columns[0]) * texels.columns) / (columns[1] - columns[0]),
          ((row - rows[0]) * texels.rows) / (rows[1] - rows[0]),
        ] as const;
      };
      gl.uniform4f(at("part"), ...texel(place.left, place.top), ...texel(place.right, place.bottom));
      setPlace(gl, at, place, this.#where, isTurned ? matrix : identityMatrix);
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

  #drawGaps({ gaps }: Pick<Tile, "gaps">, placed: PlacedTile): void {
    const gl = this.#gl;
    for (const { kind, rows, columns } of gaps) {
      const at = this.#usePattern(gapPattern(kind, this.scene));
      const part = rectangleOf(rows, columns);
      if (placed.isTurned) setPlace(gl, at, part, this.#where, placed.matrix);
      else setPlace(gl, at, partPlace(placed, part, this.#where), this.#where);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }
}

const rectangleOf = (
  [top, bottom]: readonly [number, number],
  [left, right]: readonly [number, number],
): Rectangle => ({ left, right, top, bottom });

/** The first and the last colour of a map. */
const endsOf = (table: Uint32Array): OutsideColors => ({
  below: pixelBytes(table[0]!),
  above: pixelBytes(table[255]!),
});
