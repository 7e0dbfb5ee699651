/** Creates the store of a dataset: a bucket bound to the Worker, or any HTTP store. */
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
    // Shorter than the request's own timeout, so that the error names the store as the cause.
    timeout: Math.max(1, timeout / 3),
    maxBytes: 2 * chunkBytes,
  });
}

/** A fetch function that signs requests (S3's Signature Version 4) if keys are configured. */
function requests(env: Env): (request: Request) => Promise<Response> {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_REGION: region } = env;
  if (!accessKeyId || !secretAccessKey) return (request) => fetch(request);
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region: region ?? "auto", service: "s3" });
  return async (request) => {
    const { signal } = request; // signing drops it
    return fetch(await aws.sign(request, { signal }), { signal });
  };
}
