/** Texts of the interface in the language of the page. Read them when they are shown, not when a module is loaded. */
import { english } from "./en.js";

/** Texts of a language: strings, and functions of the values that they contain. */
export type Texts = typeof english;

export const text: Texts = english;
