// SVG documents of figures: names from the data cannot become markup, or invalid XML.
import { expect, it } from "vitest";
import { SvgSurface } from "#src/viewer/base/svg-surface.js";

it("strings have no markup, and no characters that XML does not allow", () => {
  const surface = new SvgSurface({ left: 0, top: 0, width: 10, height: 10 });
  const style = { fontSize: "12px", fontStyle: "normal", fontWeight: "400", color: "rgb(0, 0, 0)" };
  const fontFamily = '"a"</text><script>';
  const text = "]]><script>alert(1)</script>&amp;\u0000\u0001\u001b\ufffe\ud800 µm 😀\t";
  surface.text(text, { x: 1, y: 2 }, { ...style, fontFamily }, 0);
  const document = surface.toString();
  expect(document).not.toMatch(/script>|<script/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the subject.
  expect(document).not.toMatch(/[\u0000-\u0008\u000e-\u001f\ufffe]|[\ud800-\udbff](?![\udc00-\udfff])/);
  expect(document).toContain("&#38;amp;\ufffd\ufffd\ufffd\ufffd\ufffd µm 😀\t</text>");
});
