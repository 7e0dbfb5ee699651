/** The suite in a shared worker, with the library loaded as published. */
import "../suite/all.js";
import { answer, type Question } from "./host.js";

Object.assign(globalThis, {
  onconnect({ ports: [port] }: MessageEvent): void {
    port!.onmessage = ({ data }: MessageEvent<Question>) => void answer(data);
  },
});
