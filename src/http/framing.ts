import type { IncomingMessage } from 'node:http';

// What RFC 9112 asks of a request beyond what Node's parser checks. Two programs that read such a request differently,
// a balancer and this server, could be played against each other.

/** A host of RFC 3986 section 3.2.2, possibly empty, and a port. A zone as in `127.0.0.1%eth0` is none. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/**
 * Tells whether a request must be refused with a 400: Host is missing in HTTP/1.1, repeated or no host (RFC 9112 section
 * 3.2), or the body has another transfer coding than `chunked`, which would be read as if it had none (section 6.1).
 */
export function isMalformed({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') return true;
  if (headers.host === undefined) return httpVersion === '1.1';
  // `headers` has only the first of several.
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts > 1 || !HOST.test(headers.host);
}

const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?]*)/i;

/**
 * Reduces a target in absolute form to its path and query. Clients of a proxy send it, and every server must accept it.
 * The host of the target replaces that of the header Host (RFC 9112 section 3.2.2).
 */
export function toOriginForm(req: IncomingMessage): void {
  const target = req.url ?? '/';
  const [start, authority] = SCHEME_AND_AUTHORITY.exec(target) ?? [];
  if (start === undefined || authority === undefined) return;
  const rest = target.slice(start.length);
  req.url = rest.startsWith('/') ? rest : `/${rest}`;
  // Without a Host, HTTP/1.1 stays malformed.
  if (req.headers.host !== undefined || req.httpVersion !== '1.1') req.headers.host = authority;
}

/** A percent-encoded character that needs no encoding (RFC 3986 section 2.3). */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/**
 * Decodes the characters of a path that need no encoding, so that `/v1/%6dailboxes` is `/v1/mailboxes` (RFC 3986 section
 * 6.2.2.2). Below `keptBelow` the path stays as it was sent.
 */
export function toNormalPath(req: IncomingMessage, keptBelow: string): void {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  if (!url.slice(0, end).includes('%')) return;
  const decoded = (from: number, to: number) =>
    url.slice(from, to).replace(UNRESERVED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const slash = url.indexOf('/', 1);
  const first = slash < 0 || slash > end ? end : slash + 1;
  const root = decoded(0, first);
  req.url = root + (root === keptBelow ? url.slice(first, end) : decoded(first, end)) + url.slice(end);
}
