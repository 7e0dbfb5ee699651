/** The suite in a shared worker, the library being loaded as it is published. */
import "../suite/all.js";
import { answer, type Question } from "./host.js";

Object.assign(globalThis, {
  onconnect({ ports: [port] }: MessageEvent): void {
    port!.onmessage = ({ data }: MessageEvent<Question>) => void answer(data);
  },
});
