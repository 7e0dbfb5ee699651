/** The workers' script as a text: a classic script that imports nothing. */
declare const text: string;
export default text;
