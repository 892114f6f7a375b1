import { isUrl } from '../text/url.ts';

/** The addresses in a List-Unsubscribe header (RFC 2369). `isOneClick` says whether one click is enough (RFC 8058). */
export interface ListUnsubscribe {
  /** All addresses in angle brackets, in their order. */
  readonly urls: readonly string[];
  /** The first https address, or http address of this machine; null if there is none. */
  readonly web: string | null;
  /** The first mailto address; null if there is none. */
  readonly mailto: string | null;
  /** Tells whether a POST to the web address unsubscribes. */
  readonly isOneClick: boolean;
}

const MAX_HEADER = 16 * 1024;
const MAX_URLS = 20;
/** RFC 8058 3.1: exactly this pair. */
const ONE_CLICK = /^list-unsubscribe\s*=\s*one-click$/i;

/** Parses List-Unsubscribe and List-Unsubscribe-Post. Null stands for a missing header. */
export function readListUnsubscribe(header: string | null, post: string | null): ListUnsubscribe {
  const written = [...(header ?? '').slice(0, MAX_HEADER).matchAll(/<([^<>]{1,4096})>/g)].slice(0, MAX_URLS);
  const urls = written.map(([, url = '']) => url.replace(/\s+/g, ''));
  const web = urls.find(isUsable) ?? null;
  const mailto = urls.find((url) => /^mailto:[^\s@]{1,320}@[^\s@?]/i.test(url)) ?? null;
  return { urls, web, mailto, isOneClick: web !== null && ONE_CLICK.test(post?.trim() ?? '') };
}

/** Tells whether a client may POST to the address: by https, or by http to this machine. */
function isUsable(url: string): boolean {
  if (!isUrl(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
}

const THIS_MACHINE = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.*\.)?localhost)$/i;

/**
 * Tells whether the host of a URL is this machine: localhost (RFC 6761 6.3) or a loopback address. An IPv6 address has
 * brackets, as in a URL.
 */
export function isThisMachine(hostname: string): boolean {
  return THIS_MACHINE.test(hostname);
}
