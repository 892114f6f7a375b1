import { isLoopbackHost, isLoopbackUrl, isUrl } from '../text/url.ts';

// The address to listen on: who can reach it, and how a URL writes it.

/**
 * Tells whether only this machine can reach the server: it listens on loopback, and no balancer passes on what others
 * send. A balancer with a loopback URL is this machine's own.
 */
export function isOnlyHere(config: { readonly host: string; readonly publicUrl: string | null }): boolean {
  return isLoopbackHost(config.host) && (config.publicUrl === null || isLoopbackUrl(config.publicUrl));
}

/**
 * Tells whether the local API asks for a token: others can reach it, unless `--auth off` lets them in, or users are given,
 * whose passwords stand beside the token.
 */
export function needsToken(config: {
  readonly host: string;
  readonly publicUrl: string | null;
  readonly auth: 'on' | 'off';
  readonly httpUsers: readonly string[] | null;
}): boolean {
  return config.httpUsers !== null || (config.auth === 'on' && !isOnlyHere(config));
}

/**
 * Returns the host that clients on this machine connect to. An unspecified address such as 0.0.0.0 becomes the loopback
 * address.
 */
export function connectHost(host: string): string {
  if (/^[0.]+$/.test(host)) return '127.0.0.1';
  return /^[0:]+$/.test(host) ? '::1' : host;
}

/** Tells whether the host means all addresses of this machine. */
export function isEverywhere(host: string): boolean {
  return /^[0.]+$|^[0:]+$/.test(host);
}

/** Writes a host as a URL needs it (RFC 3986 3.2.2): an IPv6 address gets brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Returns the origin of an http or https URL that has no path, query or credentials. Returns null for any other text.
 */
export function originOf(text: string): string | null {
  const url = isUrl(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return `${url.pathname}${url.search}${url.hash}${url.username}` === '/' ? url.origin : null;
}
