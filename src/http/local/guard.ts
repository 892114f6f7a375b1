import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isOnlyHere } from '../../config/host.ts';
import type { Context } from '../../context.ts';
import { isSameSecret } from '../../domain/api-key.ts';
import { refuse } from '../../domain/errors.ts';
import { isLoopbackAddress } from '../../domain/ip-address.ts';
import { ON_LOOPBACK } from '../../text/tool-header.ts';
import type { Exchange } from '../exchange.ts';
import { probes } from '../probes.ts';

/** The parts of a request that identify its sender. */
interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly method?: string | undefined;
}

/** The paths without access control. They hold no secret, and clients without a key read them. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/_mailcap/health', '/', '/openapi.json', '/docs']);

/** The pages of the documentation and the files of the web inbox, which hold no data. */
const OPEN_BELOW = /^\/(?:docs|assets)\//;

/**
 * The views of mails. A view is in a sandboxed frame, which can't send a token. Its URL is the secret that grants
 * access.
 */
const CAPABILITIES = '/_mailcap/view/';

/** The paths that tell whether the server is ready. */
const PROBES: ReadonlySet<string> = new Set(probes.map(({ path }) => path));

/** The path of Mailpit's API that sends. It may have users of its own. */
const SEND_PATH = '/api/v1/send';

/**
 * Checks the access to the local API (docs/security.md#who-can-reach-it), for requests and WebSocket upgrades.
 * Without a token every client that reaches the server may use it, but no web page: a foreign Host or Origin throws
 * `forbidden`. With one, a request without the admin token, or a name and password, throws `unauthorized`; after a wrong
 * one it does so ever later.
 *
 * @param given what counts as the request, if it is not the exchange's own
 */
export async function checkLocal(ctx: Context, exchange: Exchange, given: Asked = exchange.req): Promise<void> {
  const request = asAllowed(ctx, exchange.path, given);
  const { adminToken } = ctx.runtime;
  const { path } = exchange;
  const { headers } = request;
  if (PROBES.has(path)) return;
  const isCapability = path.startsWith(CAPABILITIES);
  const names = ownNames(ctx);
  if (adminToken === null) return checkBrowser(request, names, isCapability);
  const users = usersOf(ctx, path);
  exchange.takesPassword = users !== null || takesToken(path);
  // A browser asks for a password only where a page does, so with users the page is behind it too.
  const isOpen = OPEN_PATHS.has(path) && (path !== '/' || ctx.config.httpUsers === null);
  if (isOpen || isCapability || OPEN_BELOW.test(path)) return;
  if (users?.length === 0) return checkBrowser(request, names, false);
  const basic = basicOf(headers.authorization ?? '');
  // A browser adds a password that it knows to the requests of all pages.
  if (basic !== null) checkOrigin(request);
  if (basic !== null && (await ctx.passwords.isUser(users ?? [], basic.name, basic.password))) return;
  await checkToken(ctx, exchange, tokenOf(headers.authorization ?? '', exchange.takesPassword), adminToken);
}

/** The paths whose APIs no page of another site may use, whatever `--allowed-origins` says. */
const OWN_APIS = /^\/(?:v1|_mailcap|mcp|hooks|providers)(?:\/|$)/;

/** Returns the origin of a page that `--allowed-origins` lets use the API of a path. Null for other requests. */
export function allowedOrigin({ config }: Context, path: string, { headers }: Asked): string | null {
  const { origin } = headers;
  const { allowedOrigins } = config;
  if (origin === undefined || allowedOrigins.length === 0 || OWN_APIS.test(path)) return null;
  const [, host = ''] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return allowedOrigins.includes('*') || (host !== '' && allowedOrigins.includes(host.toLowerCase())) ? origin : null;
}

/** Takes what a browser says about the page out of a request, if the page may use the API. */
function asAllowed(ctx: Context, path: string, request: Asked): Asked {
  if (allowedOrigin(ctx, path, request) === null) return request;
  const { origin: _origin, 'sec-fetch-site': _site, ...headers } = request.headers;
  return { headers, method: request.method };
}

/**
 * Returns the users of a path as lines of an htpasswd file. Null means that there are none, and an empty list that
 * everybody is one.
 */
function usersOf({ config }: Context, path: string): readonly string[] | null {
  return path === SEND_PATH ? (config.sendUsers ?? config.httpUsers) : config.httpUsers;
}

/**
 * Checks a request to another API that says it is of mailcap's own tools, with the admin token or with none. Returns
 * false for a web page, and without a token where one is needed: the request is then like any other. Throws
 * `unauthorized` for a wrong token, ever later.
 */
export async function checkTool(ctx: Context, exchange: Exchange, token: string): Promise<boolean> {
  const { adminToken } = ctx.runtime;
  if (adminToken === null) return isOwnProcess(exchange.req, ownNames(ctx));
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
  if (adminToken === null) checkBrowser(exchange.req, ownNames(ctx), false);
  else if (!isKey) await checkToken(ctx, exchange, key, adminToken);
}

/**
 * Returns the token of a request; undefined if it has none. Clients of other catchers can send only a user name and a
 * password, so where a password is taken it may be the token.
 */
function tokenOf(authorization: string, takesPassword: boolean): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  return takesPassword ? (bearer ?? basicOf(authorization)?.password) : bearer;
}

/** Tells whether the password of Basic may be the admin token: on the paths of other catchers. */
function takesToken(path: string): boolean {
  return !/^\/(?:v1|_mailcap)(?:\/|$)/.test(path);
}

function basicOf(authorization: string): { readonly name: string; readonly password: string } | null {
  const [, name, password] = /^([^:]*):(.+)$/s.exec(basicCredentials(authorization) ?? '') ?? [];
  return name === undefined || password === undefined ? null : { name, password };
}

function isOwnProcess(request: Asked, names: OwnNames): boolean {
  try {
    checkBrowser(request, names, false);
    return true;
  } catch {
    return false;
  }
}

/** Returns which host names the local API accepts in addition to those of the loopback. */
function ownNames({ config }: Context): OwnNames {
  const { allowedHosts, publicUrl, auth } = config;
  const names = publicUrl === null ? allowedHosts : [...allowedHosts, nameOf(new URL(publicUrl).host)];
  return { names: names.map((name) => name.toLowerCase()), isClosedNetwork: auth === 'off' && !isOnlyHere(config) };
}

interface OwnNames {
  readonly names: readonly string[];
  /** Tells whether other machines use the server without a token. */
  readonly isClosedNetwork: boolean;
}

/** The safe methods (RFC 9110 section 9.2.1) that a route here can have. */
const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

function checkBrowser(request: Asked, names: OwnNames, isCapability: boolean): void {
  // In a DNS rebinding attack the host name is the attacker's, only the address is ours.
  if (!isOwnName(nameOf((request.headers.host ?? '').toLowerCase()), names)) throw refuse('forbidden');
  if (isCapability && SAFE.has(request.method)) return;
  checkOrigin(request);
}

/** Throws `forbidden` for the request of another site's page. */
function checkOrigin({ headers, method }: Asked): void {
  const host = (headers.host ?? '').toLowerCase();
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

/**
 * Throws `forbidden` where the page of another site may ask, for a GET that does more than read. Such a page may follow a
 * link here, and over plain HTTP to another name than the loopback's a browser does not say whose page asks.
 */
export function checkNoPage(ctx: Context, path: string, request: Asked): void {
  if (allowedOrigin(ctx, path, request) !== null) return;
  const { host = '', 'sec-fetch-site': site, 'user-agent': agent = '', referer = '' } = request.headers;
  const name = nameOf(host.toLowerCase());
  const saysNothing = site === undefined && name !== 'localhost' && !isLoopbackAddress(name);
  const isOwn = /^https?:\/\/([^/]+)\//i.exec(referer)?.[1]?.toLowerCase() === host.toLowerCase();
  const isUnknown = saysNothing && agent.startsWith('Mozilla/') && !isOwn;
  if (isUnknown || site === 'cross-site' || site === 'same-site') throw refuse('forbidden');
}

function nameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(host);
  if (bracketed?.[1] !== undefined) return bracketed[1];
  return /^([^:]*)(?::\d{1,5})?$/.exec(host)?.[1] ?? '';
}

function isOwnName(name: string, { names, isClosedNetwork }: OwnNames): boolean {
  // A host has no zone, so `127.0.0.1%x` is another's name.
  if (name === '' || name.includes('%')) return false;
  if (name === 'localhost' || isLoopbackAddress(name)) return true;
  return names.includes(name) || (isClosedNetwork && isPrivateName(name));
}

/**
 * Tells whether no stranger can have the name point here: it is an address, a name of one word such as that of a
 * container, or below a domain that nobody can register (RFC 6761, RFC 8375, RFC 6762, and `internal`). DNS rebinding
 * needs a name of the attacker's.
 */
function isPrivateName(name: string): boolean {
  return isIP(name) !== 0 || !name.includes('.') || PRIVATE_DOMAIN.test(name);
}

const PRIVATE_DOMAIN = /\.(?:internal|local|localhost|test|home\.arpa)$/;

async function checkToken(
  { wrongTokens }: Context,
  exchange: Exchange,
  token: string | undefined,
  adminToken: string,
): Promise<void> {
  if (token === undefined) throw refuse('unauthorized');
  if (isSameSecret(token, adminToken)) return;
  const inTime = await wrongTokens.answerLater(exchange.req.socket.remoteAddress ?? '', exchange);
  if (!inTime) exchange.headers.push('Connection', 'close');
  throw refuse('unauthorized');
}

/** Returns `name:password` of a header `Authorization: Basic` (RFC 7617). Null if it is none. */
export function basicCredentials(authorization: string | undefined): string | null {
  const [, credentials] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? [];
  return credentials === undefined ? null : Buffer.from(credentials, 'base64').toString();
}
