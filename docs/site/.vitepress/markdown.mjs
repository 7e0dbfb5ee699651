/** Puts a frame around programs marked `js live`, in which they can be run: theme/LiveExample.vue. */
export function liveExamples(md) {
  const usual = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const token = tokens[at];
    const program = usual(tokens, at, ...rest);
    if (!/^js live\b/.test(token.info)) return program;
    return `<LiveExample source="${encodeURIComponent(token.content)}">${program}</LiveExample>`;
  };
}

/** Header cells without content are not headings: they become plain cells. */
export function plainEmptyHeads(md) {
  const isEmpty = (tokens, at) => tokens[at]?.type === "inline" && tokens[at].content.trim() === "";
  md.renderer.rules.th_open = (tokens, at, options, _env, self) => {
    if (isEmpty(tokens, at + 1)) tokens[at].tag = "td";
    return self.renderToken(tokens, at, options);
  };
  md.renderer.rules.th_close = (tokens, at, options, _env, self) => {
    if (isEmpty(tokens, at - 1)) tokens[at].tag = "td";
    return self.renderToken(tokens, at, options);
  };
}
