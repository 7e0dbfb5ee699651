/** The suite in a module worker, with the library loaded as published. */
import "../suite/all.js";
import { answer, type Question } from "./host.js";

globalThis.onmessage = ({ data }: MessageEvent<Question>) => void answer(data);
