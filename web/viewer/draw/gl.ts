/** WebGL state: programs, uniforms, and the resources of a context. */
import { pixelBytes } from "../base/color-tables.js";
import { applied, identityMatrix, type Matrix } from "../base/matrix.js";
import type { CodeLook } from "./label-look.js";
import type { Placed } from "./placing.js";
import { copyShader, fragmentShader, patternShader, type SamplerKind, vertexShader } from "./shaders.js";

export interface Program {
  readonly program: WebGLProgram;
  readonly at: (name: string) => WebGLUniformLocation | null;
}

type ProgramName = SamplerKind | "pattern" | "copy";

/** Resources that are lost with their context. */
export interface Resources {
  /** Compiled on first use, because compiling takes a while. */
  readonly programs: Map<ProgramName, Program>;
  readonly colours: WebGLTexture;
  /** Render target of every layer but the first. */
  readonly layer: {
    readonly texture: WebGLTexture;
    readonly frame: WebGLFramebuffer;
    width: number;
    height: number;
  };
}

export const unit = ([r, g, b]: readonly number[]): [number, number, number] => [
  r! / 255,
  g! / 255,
  b! / 255,
];

/** @param turn from coordinates of the place to device pixels */
export function setPlace(
  gl: WebGL2RenderingContext,
  at: Program["at"],
  { left, top, right, bottom }: Placed,
  { width, height }: { readonly width: number; readonly height: number },
  turn: Matrix = identityMatrix,
): void {
  const corner = (x: number, y: number) => {
    const [across, down] = applied(turn, x, y);
    return [(2 * across) / width - 1, 1 - (2 * down) / height] as const;
  };
  const [start, along, below] = [corner(left, top), corner(right, top), corner(left, bottom)];
  gl.uniform2f(at("start"), ...start);
  gl.uniform4f(
    at("sides"),
    along[0] - start[0],
    along[1] - start[1],
    below[0] - start[0],
    below[1] - start[1],
  );
}

/** Uniforms of labels that a table of colours cannot express. */
export function setLabelLook(
  gl: WebGL2RenderingContext,
  at: Program["at"],
  look: CodeLook | undefined,
): void {
  const { isOutline = false, hidden = [], selected = [], isFaint = false, plain } = look ?? {};
  const rgb = plain === undefined ? [0, 0, 0] : pixelBytes(plain);
  gl.uniform4f(at("plain"), ...unit(rgb), plain === undefined ? 0 : 1);
  gl.uniform1i(at("outlined"), isOutline ? 1 : 0);
  gl.uniform3i(at("lists"), selected.length, hidden.length + selected.length, isFaint ? 1 : 0);
  if (hidden.length + selected.length > 0) gl.uniform1uiv(at("listed"), [...selected, ...hidden]);
}

/** Draws over the whole picture. */
export function setWhole(gl: WebGL2RenderingContext, at: Program["at"]): void {
  setPlace(gl, at, { left: 0, top: 0, right: 1, bottom: 1 }, { width: 1, height: 1 });
}

export function setNearest(gl: WebGL2RenderingContext): void {
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
}

export function makeResources(gl: WebGL2RenderingContext): Resources {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, Float32Array.of(0, 0, 1, 0, 0, 1, 1, 1), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  const plain = () => {
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    setNearest(gl);
    return texture;
  };
  const colours = plain();
  const texture = plain();
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  return {
    programs: new Map(),
    colours,
    layer: { texture, frame, width: 1, height: 1 },
  };
}

export function compileProgram(
  gl: WebGL2RenderingContext,
  { programs }: Resources,
  name: ProgramName,
): Program {
  let program = programs.get(name);
  if (!program) {
    const source = name === "pattern" ? patternShader : name === "copy" ? copyShader : fragmentShader(name);
    program = linkProgram(gl, source);
    programs.set(name, program);
  }
  return program;
}

/**
 * Links a program. If the context is lost, it draws nothing, and is made again with the next context.
 */
export function linkProgram(gl: WebGL2RenderingContext, fragment: string): Program {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertexShader],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) continue;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "corner");
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(`a shader does not compile: ${gl.getProgramInfoLog(program)}`);
  const places = new Map<string, WebGLUniformLocation | null>();
  const at = (name: string) => {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(program, name));
    return places.get(name)!;
  };
  return { program, at };
}
