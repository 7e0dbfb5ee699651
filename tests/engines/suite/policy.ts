/** The strict policy is enforced in every context. */
import { errorOf, ok, test } from "./registry.js";

test("policy: text cannot be made into code", async () => {
  const error = await errorOf(() => new Function("return 1")());
  ok(error.name === "EvalError", `${error} is an EvalError`);
});
