/** Whether WebGL is emulated on the CPU. */

let software: boolean | undefined;

/** Whether WebGL is emulated on the CPU: a 2-D canvas is several times faster then. */
export function isSoftware(): boolean {
  software ??= look();
  return software;
}

/**
 * Some browsers report it before creating a context, which takes them long; others only by the renderer's
 * name.
 */
function look(): boolean {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return true;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
