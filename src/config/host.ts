// Of the address to listen on: whether others can reach it, and what it is called in a URL.

/** Only this machine can reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The host clients on this machine connect to: an unspecified address is no address to connect to. */
export function connectHost(host: string): string {
  if (/^[0.]+$/.test(host)) return '127.0.0.1';
  return /^[0:]+$/.test(host) ? '::1' : host;
}

/** As it stands in a URL (RFC 3986 3.2.2). */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
