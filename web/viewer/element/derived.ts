/** Opens a variable computed from another one, with its progress over the picture. */
import { deriveDataset } from "../source/derived.js";
import type { Opened } from "../source/opened.js";
import { acquire, release } from "../tiles/shared.js";
import type { MainPanel } from "./main-panel.js";

export async function openDerived<T extends Extract<Opened, { kind: "dataset" }>>(
  opened: T,
  text: string,
  mainPanel: MainPanel,
  signal: AbortSignal,
): Promise<T> {
  const { pool } = acquire();
  let shown = 0;
  const onProgress = (share: number) => {
    const percent = Math.floor(share * 100);
    if (signal.aborted || percent === shown) return;
    shown = percent;
    mainPanel.setBusy(`Computing ${text}: ${percent} %`);
  };
  try {
    mainPanel.setBusy(`Computing ${text}…`);
    return { ...opened, dataset: await deriveDataset(opened.dataset, text, { pool, signal, onProgress }) };
  } finally {
    release();
  }
}
