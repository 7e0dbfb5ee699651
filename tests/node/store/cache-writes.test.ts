// When entries of persistent caches are written: after reads, for they would take time from them.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CacheEntry, EntryStorage } from "#src/store/http/cache-entry.js";
import { EntryWriter } from "#src/store/http/cache-storage.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A writer to a storage that records the ids of entries. */
function recorder() {
  const written: string[] = [];
  const storage: EntryStorage = {
    read: async () => undefined,
    place: async (id) => id,
    write: async (id) => void written.push(id),
    touch: async () => {},
    list: async () => [],
    remove: async () => {},
  };
  const writer = new EntryWriter(storage, 2 ** 30, () => true);
  const write = (id: string) => writer.write({ id, body: new Uint8Array(10) } as unknown as CacheEntry);
  return { writer, written, write };
}

it("entries are written once nothing is read for a while", async () => {
  const { writer, written, write } = recorder();
  for (let i = 0; i < 100; i++) {
    writer.noteRead();
    if (i < 3) write(`${i}`);
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(30);
  expect(written).toEqual(["0", "1", "2"]);
});

it("entries do not wait forever", async () => {
  const { writer, written, write } = recorder();
  write("0");
  for (let i = 0; i < 999; i++) {
    writer.noteRead();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(10);
  expect(written).toEqual(["0"]);
});

it("a flush does not wait", async () => {
  const { writer, written, write } = recorder();
  writer.noteRead();
  write("0");
  write("1");
  await vi.advanceTimersByTimeAsync(1);
  await writer.flush();
  expect(written).toEqual(["0", "1"]);
});
