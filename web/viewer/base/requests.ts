/** Requests that are sent at a time: as much as HTTP/2 takes; of HTTP/1.1 browsers let the others wait. */
export const mostRequests = 100;
