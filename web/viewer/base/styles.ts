/** Adds style sheets to shadow roots when the parts that they are for are loaded. */

const sheets = new Map<string, CSSStyleSheet>();

/** Adds a style sheet to the shadow root of an element; pages without one have the whole style sheet. */
export function adoptSheet(element: Element, text: string): void {
  const root = element.getRootNode();
  if (!(root instanceof ShadowRoot)) return;
  let sheet = sheets.get(text);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(text, sheet);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
