import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { isLoopbackAddress } from '../../domain/ip-address.ts';
import { ON_LOOPBACK } from '../../text/tool-header.ts';
import { type Exchange, takesPassword } from '../exchange.ts';

/** The parts of a request that identify its sender. */
interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly method?: string | undefined;
}

/** The paths without access control. They hold no secret, and clients without a key read them. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/_mailcap/health', '/', '/openapi.json', '/docs']);

/** The pages of the documentation, which hold no data. */
const OPEN_PAGES = '/docs/';

/** The files of the web inbox, which hold no data. */
const OPEN_FILES = '/assets/';

/**
 * The views of mails. A view is in a sandboxed frame, which can't send a token. Its URL is the secret that grants
 * access.
 */
const CAPABILITIES = '/_mailcap/view/';

/**
 * Checks the access to the local API (docs/security.md#who-can-reach-it), for requests and WebSocket upgrades.
 * On loopback every process of this machine may use it, but no web page: a foreign Host or Origin throws `forbidden`.
 * Elsewhere a request without the admin token throws `unauthorized`; after a wrong token it does so ever later.
 *
 * @param request what counts as the request, if it is not the exchange's own
 */
export async function checkLocal(ctx: Context, exchange: Exchange, request: Asked = exchange.req): Promise<void> {
  const { adminToken } = ctx.runtime;
  const { path } = exchange;
  const { headers } = request;
  const isCapability = path.startsWith(CAPABILITIES);
  const isOpen = OPEN_PATHS.has(path) || path.startsWith(OPEN_FILES) || path.startsWith(OPEN_PAGES) || isCapability;
  if (adminToken === null) checkBrowser(request, ownNames(ctx.config), isCapability);
  else if (!isOpen) await checkToken(ctx, exchange, tokenOf(headers.authorization ?? '', path), adminToken);
}

/**
 * Checks a request to another API that says it is of mailcap's own tools, with the admin token or with none. Returns
 * false for a web page, and without a token where one is needed: the request is then like any other. Throws
 * `unauthorized` for a wrong token, ever later.
 */
export async function checkTool(ctx: Context, exchange: Exchange, token: string): Promise<boolean> {
  const { adminToken } = ctx.runtime;
  if (adminToken === null) return isOwnProcess(exchange.req, ownNames(ctx.config));
  if (token === ON_LOOPBACK) return false;
  await checkToken(ctx, exchange, token, adminToken);
  return true;
}

/**
 * Checks a request to the API of a provider (docs/providers.md#who-may-send): on loopback as {@link checkLocal} does, with
 * any key. Elsewhere the provider's key has to be the admin token, or `isKey` accepts it. Throws `forbidden`, and
 * `unauthorized` ever later.
 */
export async function checkProviderKey(ctx: Context, exchange: Exchange, key: string, isKey: boolean): Promise<void> {
  const { adminToken } = ctx.runtime;
  if (adminToken === null) checkBrowser(exchange.req, ownNames(ctx.config), false);
  else if (!isKey) await checkToken(ctx, exchange, key, adminToken);
}

/**
 * Returns the token of a request. Clients of other catchers can send only a user name and a password, so on the paths
 * of those catchers the password may be the token.
 */
function tokenOf(authorization: string, path: string): string | undefined {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return credentials || undefined;
  if (!takesPassword(path)) return undefined;
  return /^[^:]*:(.+)$/s.exec(Buffer.from(credentials, 'base64').toString())?.[1];
}

function isOwnProcess(request: Asked, allowedHosts: readonly string[]): boolean {
  try {
    checkBrowser(request, allowedHosts, false);
    return true;
  } catch {
    return false;
  }
}

/** Returns the host names that the local API accepts in addition to those of the loopback. */
function ownNames({ allowedHosts, publicUrl }: Context['config']): readonly string[] {
  return publicUrl === null ? allowedHosts : [...allowedHosts, nameOf(new URL(publicUrl).host)];
}

/** The safe methods (RFC 9110 section 9.2.1) that a route here can have. */
const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

function checkBrowser({ headers, method }: Asked, allowedHosts: readonly string[], isCapability: boolean): void {
  const host = (headers.host ?? '').toLowerCase();
  // In a DNS rebinding attack the host name is the attacker's, only the address is ours.
  if (!isOwnName(nameOf(host), allowedHosts)) throw refuse('forbidden');
  if (isCapability && SAFE.has(method)) return;
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) throw refuse('forbidden');
  // An image or script of another page sends no Origin, but browsers send its origin in Sec-Fetch-Site. A followed link
  // is harmless. A submitted form and a frame are navigations too, so the method must be safe and the target a document
  // of its own: a page that frames ours could trick its reader into clicking there.
  const site = headers['sec-fetch-site'];
  const foreign = site === 'cross-site' || site === 'same-site';
  const opensPage = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  const followsLink = opensPage && SAFE.has(method);
  if (foreign && !followsLink) throw refuse('forbidden');
}

function nameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(host);
  if (bracketed?.[1] !== undefined) return bracketed[1];
  return /^([^:]*)(?::\d{1,5})?$/.exec(host)?.[1] ?? '';
}

function isOwnName(name: string, allowedHosts: readonly string[]): boolean {
  // A host has no zone, so `127.0.0.1%x` is another's name.
  if (name === '' || name.includes('%')) return false;
  if (name === 'localhost' || isLoopbackAddress(name)) return true;
  return allowedHosts.some((allowed) => allowed.toLowerCase() === name);
}

async function checkToken(
  { wrongTokens }: Context,
  exchange: Exchange,
  token: string | undefined,
  adminToken: string,
): Promise<void> {
  if (token === undefined) throw refuse('unauthorized');
  // The tokens are hashed, so that the comparison does not reveal even their length.
  if (timingSafeEqual(sha256(token), sha256(adminToken))) return;
  const inTime = await wrongTokens.answerLater(exchange.req.socket.remoteAddress ?? '', exchange);
  if (!inTime) exchange.headers.push('Connection', 'close');
  throw refuse('unauthorized');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
