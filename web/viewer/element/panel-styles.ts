/** Styles of panels, lists and tables, which the first picture does not need. */
import { adoptSheet } from "../base/styles.js";
import styleText from "./panel-style-text.js";

export const adoptStyles = (element: Element): void => adoptSheet(element, styleText);
