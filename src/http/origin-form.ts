import type { IncomingMessage } from 'node:http';

const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?]*/i;

/**
 * Reduces a target in absolute form to its path and query. Clients of a proxy send it, and every server must accept it
 * (RFC 9112 section 3.2.2).
 */
export function toOriginForm(req: IncomingMessage): void {
  const target = req.url ?? '/';
  if (target.startsWith('/')) return;
  const rest = target.replace(SCHEME_AND_AUTHORITY, '');
  if (rest !== target) req.url = rest.startsWith('/') ? rest : `/${rest}`;
}
