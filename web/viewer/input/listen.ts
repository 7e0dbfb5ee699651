/** Listens to the input of a picture. */

type Listeners = { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

/** Adds listeners that may prevent the default action. @returns a function that removes them */
export function listen(box: HTMLElement, listeners: Listeners): () => void {
  const end = new AbortController();
  for (const [name, listener] of Object.entries(listeners))
    box.addEventListener(name, listener as EventListener, { signal: end.signal, passive: false });
  return () => end.abort();
}

/** CSS pixels per wheel unit: pixel, line, page. */
export const wheelPixels = ({ deltaY, deltaMode }: WheelEvent): number => deltaY * [1, 16, 320][deltaMode]!;

/** Whether an event is meant for a control over the picture. */
export const isOnControl = ({ target }: Event): boolean =>
  target instanceof Element && target.closest("button, select, label") !== null;
