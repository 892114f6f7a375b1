import { cut, cutMiddle, cutStart, widthOf } from './width.ts';

/** The smallest width at which the end of an address is useful beside the host. */
const LEAST_END = 8;

/**
 * Shortens a URL to `width` columns. It keeps the host, which shows the owner, and the end, which differs between
 * similar URLs. It drops the user name, because it may look like a host.
 */
export function shortUrl(url: string, width: number): string {
  if (widthOf(url) <= width) return url;
  const [, scheme = '', authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*:)\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (authority === '') return cutMiddle(url, width);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isWeb = /^https?:$/i.test(scheme);
  // For an app link the scheme identifies the owner, as a host does.
  const head = isWeb ? host : `${scheme}//${host}`;
  const short = `${head}${rest}`;
  if (widthOf(short) <= width) return short;
  const end = width - widthOf(head) - 1;
  if (rest.length <= 1) return isWeb ? cutStart(head, width) : cutMiddle(head, width);
  if (end >= LEAST_END) return `${head}/${cutStart(rest.slice(1), end)}`;
  // The end of a long host name is the registered domain, so the end is kept.
  const room = Math.max(1, width - LEAST_END - 1);
  return cut(`${isWeb ? cutStart(head, room) : cutMiddle(head, room)}/${cutStart(rest.slice(1), LEAST_END)}`, width);
}
