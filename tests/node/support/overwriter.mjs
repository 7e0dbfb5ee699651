// One of several processes that overwrite arrays: for each line "path value" of its input, it creates an array and sets
// all elements; it prints "ok", or the tag and message of the error.
import { createInterface } from "node:readline";

const [library, node, place, bucket] = process.argv.slice(2);
const { create, set, WritableHttpStore } = await import(library);
const { FileSystemStore } = await import(node);
const store = () =>
  bucket ? new WritableHttpStore(place, { bucket, retryDelay: 5 }) : new FileSystemStore(place);

const base = { shape: [48], chunkShape: [1], dtype: "int32", codecs: "none", overwrite: true };
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [path, value] = line.split(" ");
  try {
    const array = await create(store(), { ...base, path, attributes: { owner: Number(value) } });
    await set(array, null, Number(value));
    console.log("ok");
  } catch (error) {
    console.log(`${error._tag}: ${error.message}`);
  }
}
