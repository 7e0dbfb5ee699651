/**
 * Maximum number of requests in flight: about the limit of HTTP/2; over HTTP/1.1 the browser queues the rest.
 */
export const maxRequests = 100;
