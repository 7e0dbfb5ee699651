/** The suite in a module worker, the library being loaded as it is published. */
import "../suite/all.js";
import { answer, type Question } from "./host.js";

globalThis.onmessage = ({ data }: MessageEvent<Question>) => void answer(data);
