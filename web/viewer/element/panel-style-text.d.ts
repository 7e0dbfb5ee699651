/** The style sheets of panels as a string. The build writes this module next to the compiled files. */
declare const styleText: string;
export default styleText;
