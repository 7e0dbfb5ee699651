/**
 * A new connection for every request of the tests. workerd closes connections after some idle seconds. On a
 * busy machine Node notices only after sending the next request on such a connection, which then fails
 * ("other side closed").
 */
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("connection", "close");
  return fetch(input, { ...init, headers });
};
