import { isUrl } from './is-url.ts';

// This module lets pass, of what a mail holds, only what has a form that can hold no sentence. It may stand outside of a
// fence.

/** A link as data. */
export interface LinkData {
  /** The host that following it would reach, apart from the address, whose beginning may look like another host. */
  readonly host: string;
  readonly url: string;
}

const CODE = /^(?=.*[0-9])[0-9A-Za-z]{3,16}$|^[A-Z]{4,10}$/;
const URL_FORM = /^[\x21-\x7e]{1,2048}$/;
const MAX_HOST = 100;

/** Returns a code if it is 3 to 16 letters and digits, or 4 to 10 capitals. Null if not. */
export function plainCode(code: string): string | null {
  return CODE.test(code) ? code : null;
}

/**
 * Returns a link as data: absolute, in ASCII without blanks, with its host apart. Null for an address with a user name,
 * which may look like a host, for one over 2,048 characters, and for what is no address.
 */
export function plainLink(url: string): LinkData | null {
  if (!isUrl(url)) return null;
  const { href, host, protocol, username, password } = new URL(url);
  // This would be an image where a chat draws Markdown.
  const plain = href.replaceAll('![', '%21[');
  if (username !== '' || password !== '' || !URL_FORM.test(plain)) return null;
  return { host: plainHost(host === '' ? protocol : host), url: plain };
}

function plainHost(host: string): string {
  const ascii = host.replace(/[^\x21-\x7e]/g, '?');
  return ascii.length <= MAX_HOST ? ascii : `…${ascii.slice(1 - MAX_HOST)}`;
}
