import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { isLoopbackAddress } from '../../domain/ip-address.ts';

/** What of a request says who makes it. */
interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly method?: string | undefined;
}

/** These tell no secret and are asked by those who have no key. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/_mailcap/health', '/', '/openapi.json', '/docs']);

/** The web inbox's own files, which hold no data. */
const OPEN_FILES = '/assets/';

/** A view of a mail stands in a frame that is no page of ours, and can't say a token: whoever has its address may look. */
const CAPABILITIES = '/_mailcap/view/';

/**
 * Who may use the local API (docs/contract.md#who-may-use-the-local-api), for requests and WebSocket upgrades alike. On loopback whoever is on this machine,
 * which a web page is not: a foreign Host or Origin is `forbidden`. Elsewhere whoever has the admin token, else `unauthorized`.
 */
export function checkLocal(ctx: Context, request: Asked, path: string): void {
  const { adminToken } = ctx.runtime;
  const { headers } = request;
  const isCapability = path.startsWith(CAPABILITIES);
  const isOpen = OPEN_PATHS.has(path) || path.startsWith(OPEN_FILES) || isCapability;
  if (adminToken === null) checkBrowser(request, ctx.config.allowedHosts, isCapability);
  else if (!isOpen) checkToken(headers.authorization, adminToken);
}

/** RFC 9110 9.2.1, as far as a route here answers to it. */
const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

function checkBrowser({ headers, method }: Asked, allowedHosts: readonly string[], isCapability: boolean): void {
  const host = (headers.host ?? '').toLowerCase();
  // DNS rebinding: the name is the attacker's, only the address is ours.
  if (!isOwnName(nameOf(host), allowedHosts)) throw refuse('forbidden');
  if (isCapability && SAFE.has(method)) return;
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) throw refuse('forbidden');
  // An image or script of another page sends no Origin, but browsers say where it comes from. Following a link is harmless;
  // submitting a form is a navigation too.
  const site = headers['sec-fetch-site'];
  const foreign = site === 'cross-site' || site === 'same-site';
  const followsLink = headers['sec-fetch-mode'] === 'navigate' && SAFE.has(method);
  if (foreign && !followsLink) throw refuse('forbidden');
}

function nameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(host);
  if (bracketed?.[1] !== undefined) return bracketed[1];
  return /^([^:]*)(?::\d{1,5})?$/.exec(host)?.[1] ?? '';
}

function isOwnName(name: string, allowedHosts: readonly string[]): boolean {
  if (name === '') return false;
  if (name === 'localhost' || isLoopbackAddress(name)) return true;
  return allowedHosts.some((allowed) => allowed.toLowerCase() === name);
}

function checkToken(header: string | undefined, adminToken: string): void {
  const token = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  // Hashed, so that the comparison tells not even the length.
  if (token === undefined || !timingSafeEqual(sha256(token), sha256(adminToken))) throw refuse('unauthorized');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
