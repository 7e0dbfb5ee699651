/** The style sheet as text, which the build puts beside the compiled files: what lies in a shadow has it from here. */
declare const styleText: string;
export default styleText;
