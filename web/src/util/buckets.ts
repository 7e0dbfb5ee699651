/**
 * Returns the public HTTPS address of a bucket at Amazon S3 ("s3" and its variants) or Google Cloud ("gs", "gcs").
 * Certificates do not cover bucket names with a dot as host names.
 */
export function bucketAddress(scheme: string, bucket: string): string {
  const root = encodeURIComponent(bucket);
  if (/^g/i.test(scheme)) return `https://storage.googleapis.com/${root}`;
  if (bucket.includes(".") || root !== bucket) return `https://s3.amazonaws.com/${root}`;
  return `https://${bucket}.s3.amazonaws.com`;
}
