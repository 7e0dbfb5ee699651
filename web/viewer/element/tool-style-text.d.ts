/** The style sheet of the buttons above the picture as a string, written by the build. */
declare const styleText: string;
export default styleText;
