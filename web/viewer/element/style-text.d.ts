/** The style sheet as a string, for shadow roots. The build writes this module next to the compiled files. */
declare const styleText: string;
export default styleText;
