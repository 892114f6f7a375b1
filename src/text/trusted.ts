import { isUrl } from './url.ts';

// This module accepts only values of a mail that can't contain a sentence: short codes and plain URLs. Such a value
// needs no fence.

export interface LinkData {
  /** The host that the link leads to. It is separate, because the beginning of a URL may look like another host. */
  readonly host: string;
  readonly url: string;
}

const CODE = /^(?=.*[0-9])[0-9A-Za-z]{3,16}$|^[A-Z]{4,10}$/;
const URL_FORM = /^[\x21-\x7e]{1,2048}$/;
const MAX_HOST = 100;

/** Returns a code that has 3 to 16 letters and digits, or 4 to 10 capitals; null for any other. */
export function plainCode(code: string): string | null {
  return CODE.test(code) ? code : null;
}

/**
 * Returns a link as data: its absolute URL in ASCII without spaces, and its host. Returns null for a URL with a user
 * name, which may look like a host, for a URL over 2,048 characters, and for a text that is not a URL.
 */
export function plainLink(url: string): LinkData | null {
  if (!isUrl(url)) return null;
  const { href, host, protocol, username, password } = new URL(url);
  // A chat that renders Markdown would load an image here.
  const plain = href.replaceAll('![', '%21[');
  if (username !== '' || password !== '' || !URL_FORM.test(plain)) return null;
  return { host: plainHost(host === '' ? protocol : host), url: plain };
}

function plainHost(host: string): string {
  const ascii = host.replace(/[^\x21-\x7e]/g, '?');
  return ascii.length <= MAX_HOST ? ascii : `…${ascii.slice(1 - MAX_HOST)}`;
}
