/** Where a dataset's objects come from: a bucket that is bound to the Worker, or any store that speaks HTTP. */
import { AwsClient } from "aws4fetch";
import { HttpStore, type Store } from "zarr-wasm";
import { bucketStore } from "./bucket.js";
import type { Env, Settings } from "./settings.js";

export function storeOf(dataset: string, env: Env, { storeUrl, timeout, chunkBytes }: Settings): Store {
  if (env.BUCKET) return bucketStore(env.BUCKET, dataset);
  const path = dataset.split("/").map(encodeURIComponent).join("/");
  return new HttpStore(storeUrl + path, {
    fetch: requests(env),
    retries: 1,
    retryDelay: 100,
    maxRetryDelay: 1000,
    // Before the request itself is given up, so that what is said of it is the store's doing.
    timeout: Math.max(1, timeout / 3),
    maxBytes: 2 * chunkBytes,
  });
}

/** Requests, signed (S3's Signature Version 4) where there are keys. */
function requests(env: Env): (request: Request) => Promise<Response> {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_REGION: region } = env;
  if (!accessKeyId || !secretAccessKey) return (request) => fetch(request);
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region: region ?? "auto", service: "s3" });
  return async (request) => {
    const { signal } = request; // which signing leaves out
    return fetch(await aws.sign(request, { signal }), { signal });
  };
}
