/** The script of workers as a string: a classic script without imports. */
declare const text: string;
export default text;
