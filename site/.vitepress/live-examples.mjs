/** Programs marked `js live` get a frame around them in which they can be run: theme/LiveExample.vue. */
export function liveExamples(md) {
  const usual = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const token = tokens[at];
    const program = usual(tokens, at, ...rest);
    if (!/^js live\b/.test(token.info)) return program;
    return `<LiveExample source="${encodeURIComponent(token.content)}">${program}</LiveExample>`;
  };
}
