/**
 * Tells whether `new URL` accepts a text. It does not use `URL.canParse`, because Node.js 20 and 22 have a bug: after
 * some thousand calls, the optimized function refuses every URL with a letter such as ü.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Tells whether a URL's host is this machine's loopback address, by number or as `localhost`. */
export function isLoopbackUrl(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

/** Tells whether only this machine can reach a host to listen on. Its IPv6 address has no brackets. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.includes(':') ? `[${host}]` : host);
}

/** Tells whether two base URLs mean one server. `localhost` and `127.0.0.1` are one host. */
export function isSamePlace(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = LOOPBACK.test(hostname) ? 'loopback' : hostname;
  return `${protocol}//${host}:${port}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
