/**
 * A connection for each request of the tests. workerd closes connections that idle for some seconds; on a busy machine Node
 * hears of that only once it has sent the next request along, which then fails ("other side closed").
 */
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("connection", "close");
  return fetch(input, { ...init, headers });
};
