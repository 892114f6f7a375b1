import { cut, cutMiddle, cutStart, widthOf } from './width.ts';

/** The least width of the end of an address that is worth a place beside the host. */
const LEAST_END = 8;

/**
 * Shortens a URL to `width` columns so that its host and its end remain: the host tells whose it is, the end tells it
 * from its neighbours. The user name of an address is left out, because it may look like a host.
 */
export function shortUrl(url: string, width: number): string {
  if (widthOf(url) <= width) return url;
  const [, scheme = '', authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*:)\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (authority === '') return cutMiddle(url, width);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isWeb = /^https?:$/i.test(scheme);
  // The scheme of an app is its host in effect.
  const head = isWeb ? host : `${scheme}//${host}`;
  const short = `${head}${rest}`;
  if (widthOf(short) <= width) return short;
  const end = width - widthOf(head) - 1;
  if (rest.length <= 1) return isWeb ? cutStart(head, width) : cutMiddle(head, width);
  if (end >= LEAST_END) return `${head}/${cutStart(rest.slice(1), end)}`;
  // The end of a long host is the domain that somebody registered.
  const room = Math.max(1, width - LEAST_END - 1);
  return cut(`${isWeb ? cutStart(head, room) : cutMiddle(head, room)}/${cutStart(rest.slice(1), LEAST_END)}`, width);
}
