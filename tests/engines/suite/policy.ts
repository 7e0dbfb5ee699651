/** The strict policy is enforced in every context. */
import { errorOf, ok, test } from "./registry.js";

test("policy: strings cannot be compiled", async () => {
  const error = await errorOf(() => new Function("return 1")());
  ok(error.name === "EvalError", `${error} is an EvalError`);
});
