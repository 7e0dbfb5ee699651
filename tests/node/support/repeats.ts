// Notes in the report of a run which tests are repeated.
import { afterEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The error of the first attempt. */
    firstError?: string;
  }
}

afterEach(({ task }) => {
  const { retryCount, errors } = task.result ?? {};
  if (retryCount) task.meta.firstError = errors?.[0]?.message ?? "";
});
