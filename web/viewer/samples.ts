/** Sample arrays that the page's own server may offer. */
import { h } from "./dom.js";

export interface Sample {
  readonly name: string;
  readonly title: string;
  /** Address of the array, from the root of the page's origin. */
  readonly source: string;
}

const folder = "/examples";

/** The samples of this server; none where it offers none. */
export async function fetchSamples(): Promise<Sample[]> {
  try {
    const response = await fetch(`${folder}/samples.json`);
    if (!response.ok) return [];
    const list: unknown = await response.json();
    return Array.isArray(list) ? list.filter(isEntry).map(toSample) : [];
  } catch {
    return []; // a page without samples is as good as any
  }
}

interface Entry {
  readonly name: string;
  readonly title: string;
  readonly store: string;
}

function isEntry(value: unknown): value is Entry {
  const entry = value as Partial<Entry> | null;
  return [entry?.name, entry?.title, entry?.store].every((text) => typeof text === "string");
}

function toSample({ name, title, store }: Entry): Sample {
  return { name, title, source: `${folder}/${store}` };
}

/** Links to the samples. They are links so that each can be opened in a tab of its own. */
export function sampleLinks(
  samples: readonly Sample[],
  addressOf: (sample: Sample) => string,
  open: (sample: Sample) => void,
): HTMLAnchorElement[] {
  return samples.map((sample) => {
    const onclick = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(sample);
    };
    const attributes = {
      href: addressOf(sample),
      title: sample.title,
      "data-source": sample.source,
      onclick,
    };
    return h("a", attributes, sample.name);
  });
}
