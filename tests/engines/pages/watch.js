// Loaded before a page's own scripts: records errors, in the same way in every engine.
const problems = [];
globalThis.problems = problems;
for (const level of ["error", "warn"]) {
  const plain = console[level];
  console[level] = (...said) => {
    problems.push(`console.${level}: ${said.join(" ")}`);
    plain.apply(console, said);
  };
}
addEventListener("error", ({ message }) => problems.push(`uncaught: ${message}`));
addEventListener("unhandledrejection", ({ reason }) => problems.push(`unhandled: ${reason}`));
document.addEventListener("securitypolicyviolation", (event) => {
  problems.push(`policy: ${event.violatedDirective} ${event.blockedURI}`);
});
