/** The style sheet is imported only for its effect. */
export {};
