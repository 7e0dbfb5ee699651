// An array in an S3-compatible bucket: created with signed requests (Signature Version 4, by npm's aws4fetch), and
// changed through presigned URLs, as in a page that must not have the keys.
//
//   npm install zarr-wasm aws4fetch
//   BUCKET=https://s3.eu-central-1.amazonaws.com/my-bucket AWS_REGION=eu-central-1 \
//   AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… node s3.mjs
import { AwsClient } from "aws4fetch";
import { append, create, get, open, set, slice, WritableHttpStore } from "zarr-wasm";

const { BUCKET: bucket, AWS_REGION: region = "us-east-1" } = process.env;
const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
if (!bucket || !accessKeyId || !secretAccessKey) throw new Error("set BUCKET, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3" });

// With the keys: every request is signed just before it is sent, including retries.
const signed = new WritableHttpStore(`${bucket}/run.zarr`, { bucket, sign: (request) => aws.sign(request) });
const array = await create(signed, {
  shape: [0, 512, 512],
  chunkShape: [1, 256, 256],
  shardShape: [4, 512, 512],
  dtype: "uint16",
  overwrite: true,
});
await append(array, new Uint16Array(2 * 512 * 512).fill(7));
console.log(`the array has the shape ${array.shape.join(" × ")}`);

// Without them: your own server has the keys, authorises the request, and returns a URL that is valid for an hour.
async function presign(method, url) {
  const asked = new URL(url);
  asked.searchParams.set("X-Amz-Expires", "3600");
  return (await aws.sign(asked, { method, aws: { signQuery: true } })).url;
}

/** The same request, sent to its presigned URL. */
async function presigned(request) {
  const { method, url, headers } = request;
  const body = method === "PUT" ? await request.arrayBuffer() : undefined;
  return new Request(await presign(method, url), { method, headers, body });
}

const page = new WritableHttpStore(`${bucket}/run.zarr`, { sign: presigned });
const opened = await open(page, { kind: "array" });
await set(opened, [1, slice(100, 200), slice(100, 200)], 9);
const { data } = await get(opened, [1, 150, slice(98, 102)]);
console.log(`a row of it: ${data.join(" ")}`);
