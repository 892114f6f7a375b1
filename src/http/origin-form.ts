import type { IncomingMessage } from 'node:http';

const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?]*/i;

/** Leaves path and query of a target in absolute form, as clients of a proxy send it: RFC 9112 3.2.2 has every server take it. */
export function toOriginForm(req: IncomingMessage): void {
  const target = req.url ?? '/';
  if (target.startsWith('/')) return;
  const rest = target.replace(SCHEME_AND_AUTHORITY, '');
  if (rest !== target) req.url = rest.startsWith('/') ? rest : `/${rest}`;
}
