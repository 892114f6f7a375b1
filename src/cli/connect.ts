import { resolve } from 'node:path';
import { findReadyServer, findServerAbove, findServerIn } from '../client/connection/find-server.ts';
import {
  LocalOnlyError,
  MailcapError,
  NoServerError,
  nullIfNoServer,
  OptionError,
  RefusedError,
  TimeoutError,
} from '../client/errors.ts';
import type { Client, ClientOptions, MailboxResponse } from '../client/index.ts';
import { configProgramIn } from '../config/file.ts';
import { checkVariables, loadConfig } from '../config/load.ts';
import { ConfigError, UserError } from '../config/user-error.ts';
import type { ServerFile } from '../runtime.ts';
import { sentenceOfCode } from '../text/refusals.ts';
import { isSamePlace, isUrl } from '../text/url.ts';
import { Arguments, EXIT } from './command.ts';
import { byIdOrName, isId } from './named.ts';
import { say } from './output.ts';
import { quickFetch } from './quick-fetch.ts';
import { noAnswerAt, whyUnreached } from './unreachable.ts';

/** The server that a command line names. A field is null if its option was not given. */
export interface NamedServer {
  readonly url: string | null;
  readonly dataDir: string | null;
  /** Tells whether a config file may name the data directory. */
  readonly readsConfig: boolean;
}

/** The server that was found: at a URL, or running on a data directory here. */
export type FoundServer =
  | { readonly at: 'url'; readonly url: string; readonly namedBy: string }
  | { readonly at: 'directory'; readonly running: ServerFile; readonly namedBy: string | null };

/**
 * Finds the server of a command. It tries, in this order: --url, --data-dir, MAILCAP_URL, MAILCAP_DATA_DIR, the server
 * that runs in this directory or above it, and the data directory of `mailcap.config.json`. Returns null if there is none.
 * Throws a {@link UserError} if a named server does not run, a {@link ConfigError} for an invalid name, and a
 * {@link NoServerError} for a server.json that is not believed.
 */
export async function lookUp({ url, dataDir, readsConfig }: NamedServer): Promise<FoundServer | null> {
  checkVariables(process.env);
  if (url !== null && dataDir !== null) throw new ConfigError('--url and --data-dir both name a server: give one.');
  if (url !== null) return { at: 'url', url: checkedUrl('--url', url), namedBy: '--url' };
  if (dataDir !== null) return onDirectory('--data-dir', dataDir);
  const urlSet = variable('MAILCAP_URL');
  if (urlSet !== null) return { at: 'url', url: checkedUrl('MAILCAP_URL', urlSet), namedBy: 'MAILCAP_URL' };
  const dataDirSet = variable('MAILCAP_DATA_DIR');
  if (dataDirSet !== null) return onDirectory('MAILCAP_DATA_DIR', dataDirSet);
  const above = await findServerAbove(process.cwd());
  if (above !== null) return { at: 'directory', running: above, namedBy: null };
  if (!readsConfig) return null;
  // A config file that is a program is not run, because the directory may hold the code of somebody else.
  const config = await loadConfig({}, process.env, process.cwd(), 'json');
  const running = config.given.has('dataDir') ? await findServerIn(config.dataDir) : null;
  return running === null ? null : { at: 'directory', running, namedBy: null };
}

export function noServer(): UserError {
  const program = configProgramIn(process.cwd());
  const ofProgram = program === null ? '' : ` Only \`mailcap dev\` reads the data directory in ${program}.`;
  return new UserError(
    `no server runs in this directory or above it: \`npx mailcap dev\` starts one here; or name one with --url, --data-dir or MAILCAP_URL.${ofProgram}`,
    EXIT.unreachable,
  );
}

/** Returns an environment variable; null if it is not set or empty. A file with the line ends of Windows leaves one. */
export function variable(name: string): string | null {
  return process.env[name]?.replace(/\r$/, '') || null;
}

/**
 * Returns the running server of this machine that answers at a URL: one of this directory or above it, or of
 * MAILCAP_DATA_DIR. Returns null if neither is at the URL. `localhost` and `127.0.0.1` are one host.
 */
export async function ownServerAt(url: string): Promise<ServerFile | null> {
  const dataDir = variable('MAILCAP_DATA_DIR');
  const places = [dataDir === null ? null : findReadyServer(resolve(dataDir)), findServerAbove(process.cwd())];
  for (const running of await Promise.all(places.map((place) => place?.catch(nullIfNoServer) ?? null)))
    if (running !== null && isSamePlace(running.url, url)) return running;
  return null;
}

/** The option or variable that gave the API key of a command; null means that the server announced it. */
export type KeySource = '--api-key' | 'MAILCAP_API_KEY' | null;

/**
 * Tells where the key of a command comes from. MAILCAP_API_KEY belongs to the server of MAILCAP_URL or, without that, to
 * the one that --url names. A server that was found in a directory never gets it.
 */
export function keySourceOf(args: Arguments): KeySource {
  if (args.text('apiKey') !== null) return '--api-key';
  if (variable('MAILCAP_API_KEY') === null || args.text('dataDir') !== null) return null;
  const [url, urlSet] = [args.text('url') ?? variable('MAILCAP_URL'), variable('MAILCAP_URL')];
  const isItsServer = url !== null && (urlSet === null || isSameUrl(url, urlSet));
  return isItsServer ? 'MAILCAP_API_KEY' : null;
}

function isSameUrl(one: string, other: string): boolean {
  return one === other || (isUrl(one) && isUrl(other) && isSamePlace(trimmed(one), trimmed(other)));
}

async function onDirectory(namedBy: string, dataDir: string): Promise<FoundServer> {
  const running = await findReadyServer(resolve(dataDir));
  if (running !== null) return { at: 'directory', running, namedBy };
  throw new UserError(
    `no server runs on ${dataDir}, which ${namedBy} names: \`npx mailcap dev --data-dir ${dataDir}\` starts one.`,
    EXIT.unreachable,
  );
}

/** Returns a URL without the path of the API, as `{base_url}` is. */
function trimmed(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
}

function checkedUrl(name: string, url: string): string {
  if (/^https?:\/\//i.test(url) && isUrl(url)) return trimmed(url);
  throw new ConfigError(
    `${name}: expected a URL, as in http://127.0.0.1:8025, got ${JSON.stringify(url.slice(0, 100))}.`,
  );
}

/** The seeded inboxes that the clients' servers have announced, so that no command asks for them. */
const seededInboxes = new WeakMap<Client, string>();

/** The client uses only what the quick one has. */
const fetch = quickFetch as unknown as typeof globalThis.fetch;

/** Creates a client of the server that the command line names. `timeout` in milliseconds is that of a call (10,000). */
export async function connect(args: Arguments, timeout?: number): Promise<Client> {
  const found = await findServerMeant(args);
  const apiKey = keyGiven(args);
  const own = found.at === 'directory' ? found.running : lacksSecret(apiKey) ? await ownServerAt(found.url) : null;
  const url = found.at === 'url' ? found.url : found.running.url;
  if (found.at === 'directory' && apiKey === null) tellOfUnusedKey(found.running);
  // `mailcap sendmail` only finds the server, and loads no client.
  const { createToolClient } = await import('../client/client.ts');
  if (own !== null) {
    const client = createToolClient({ ...ownServer(own, url, apiKey), timeout, fetch }, { isOwn: true });
    if (isKeyOf(own, apiKey)) seededInboxes.set(client, own.mailboxId);
    return client;
  }
  const client = createToolClient({ baseUrl: url, apiKey: apiKey ?? undefined, timeout, fetch });
  // Without a key no call follows. This call reports a server that does not run.
  if (apiKey === null && !(await client.hasLocalApi()))
    throw new UserError(
      `there is no API key for ${url}, and the program that answers there is no mailcap server: check the URL, or give the key of the cloud with --api-key or MAILCAP_API_KEY.`,
    );
  return client;
}

/** Tells whether the user left out the key or the token, which the file of a server that runs here has. */
function lacksSecret(apiKey: string | null): boolean {
  return apiKey === null || variable('MAILCAP_ADMIN_TOKEN') === null;
}

/** Returns the options of a client for a server that runs here. Its key is known. */
function ownServer(own: ServerFile, baseUrl: string, apiKey: string | null): ClientOptions {
  return {
    baseUrl,
    apiKey: apiKey ?? own.apiKey,
    workspaceId: isKeyOf(own, apiKey) ? own.workspaceId : (variable('MAILCAP_WORKSPACE_ID') ?? undefined),
    adminToken: own.adminToken ?? undefined,
    mailDomain: own.mailDomain,
    webhookBaseUrl: own.webhookBaseUrl,
  };
}

/** Tells whether a key is that of the server itself, which was meant if none was given. */
function isKeyOf(own: ServerFile, apiKey: string | null): boolean {
  return apiKey === null || apiKey === own.apiKey;
}

/** A key of the environment may have other rights, so the user learns that the key of the server takes its place. */
function tellOfUnusedKey({ url, apiKey }: ServerFile): void {
  const key = variable('MAILCAP_API_KEY');
  if (key === null || key === apiKey) return;
  say(`MAILCAP_API_KEY is not used: without MAILCAP_URL it goes to no server. The server that runs here is ${url}.`);
}

/** Finds the server that the command line names. Throws a {@link UserError} if there is none. */
export async function findServerMeant(args: Arguments): Promise<FoundServer> {
  const found = await lookUp({ url: args.text('url'), dataDir: args.text('dataDir'), readsConfig: true });
  if (found === null) throw noServer();
  return found;
}

/** Returns the key that the user gave; null means the key that the server announced. */
export function keyGiven(args: Arguments): string | null {
  const source = keySourceOf(args);
  return source === '--api-key' ? args.text('apiKey') : source === null ? null : variable(source);
}

export type MeantMailbox = Pick<MailboxResponse, 'id' | 'subdomain'>;

/**
 * Finds a mailbox by its id, the beginning of its id, or its subdomain; the seeded inbox if `named` is null. Throws a
 * {@link UserError} if there is none.
 */
export async function findMailbox(client: Client, named: string | null): Promise<MeantMailbox> {
  const seeded = named === null ? seededInboxes.get(client) : undefined;
  if (seeded !== undefined) return { id: seeded, subdomain: 'inbox' };
  const mailboxes = await client.listMailboxes();
  if (named !== null) {
    if (isId(named) && !mailboxes.some(({ id }) => id === named.toUpperCase())) await refuseForeign(client, named);
    return byIdOrName(mailboxes, named, ({ subdomain }) => subdomain, 'mailbox', 'mailboxes');
  }
  const inbox = mailboxes.find(({ subdomain }) => subdomain === 'inbox');
  if (inbox !== undefined) return inbox;
  const [only, ...others] = mailboxes;
  if (only !== undefined && others.length === 0) return only;
  throw new UserError('there is no inbox mailbox here: name one with --mailbox; `mailcap mailboxes list` shows them.');
}

/** Throws a {@link UserError} that says where to look, if a mailbox is of another workspace, as those of tests are. */
async function refuseForeign(client: Client, id: string): Promise<void> {
  if (!(await client.hasLocalApi())) return;
  const foreign = await client.local.getMailbox(id).catch(() => null);
  if (foreign === null) return;
  const { url } = await client.server();
  throw new UserError(
    `${id} is a mailbox of another workspace, as those of tests are, which this key does not read: ${url}/#/mail/${foreign.id} shows it.`,
  );
}

/** Returns the workspace for calls of the local API: that of the key, or the seeded one. */
export async function workspaceOf(client: Client): Promise<string> {
  return (await client.server()).workspaceId ?? (await client.local.getInfo()).workspaceId;
}

/** Converts an error of the client to a sentence and an exit code. Returns any other error unchanged. */
export function asUserError(error: unknown, args = new Arguments({}, [])): unknown {
  if (error instanceof MailcapError) return new UserError(sentenceOf(error, args), exitCodeOf(error), { cause: error });
  // This may be a host name or a variable that is not valid in a request.
  return error;
}

function exitCodeOf(error: MailcapError): number {
  if (error instanceof NoServerError || error instanceof TimeoutError) return EXIT.unreachable;
  // The server checks most values of a command line, and refuses a wrong one with such a code. A forward may lack its URL.
  const isWrongValue =
    error instanceof RefusedError &&
    error.status === 400 &&
    /^invalid_/.test(error.code) &&
    error.code !== 'invalid_forward';
  return error instanceof OptionError || isWrongValue ? EXIT.misuse : EXIT.failed;
}

function sentenceOf(error: MailcapError, args: Arguments): string {
  if (error instanceof RefusedError) return refusalSentence(error, args);
  if (error instanceof NoServerError) return unreachable(error);
  if (error instanceof TimeoutError)
    return 'the server did not answer in time: it is busy, or another program listens there.';
  if (error instanceof LocalOnlyError)
    return 'this needs the local API, which this server does not have: use a server of `mailcap dev` or a mailcap container.';
  switch (error.code) {
    case 'no_api_key':
      return noKeyFor(error.url);
    case 'unknown_workspace':
      return 'the workspace of the API key is not known: set MAILCAP_WORKSPACE_ID.';
    default:
      return oneLine(error.message.replace(/^createClient's option (\w+)/, '$1'));
  }
}

/** Returns the sentence of a refusal: the meaning of its code, if the code is known. */
export function refusalSentence(error: RefusedError, args: Arguments): string {
  const { code, status, extra, requestId } = error;
  if (code === 'unauthorized') return isOfLocalApi(error) ? noToken() : badKey(args);
  if (code === 'unexpected_answer')
    return `the program that answers there is not mailcap (it answered ${status}): check the URL.`;
  return sentenceOfCode(code, { ...(requestId === null ? {} : { requestId }), ...extra });
}

/** Tells whether the call went to the local API, which needs another token. */
function isOfLocalApi({ call }: RefusedError): boolean {
  return call?.startsWith('local.') ?? false;
}

function noToken(): string {
  return variable('MAILCAP_ADMIN_TOKEN') === null
    ? 'the local API of this server needs its admin token, which it printed at its start: set MAILCAP_ADMIN_TOKEN to it.'
    : 'the server does not accept the token in MAILCAP_ADMIN_TOKEN: set it to the admin token that this server printed at its start.';
}

/** Returns the sentence that a command has no key for a server. */
export function noKeyFor(url: string | null): string {
  return `there is no API key for ${url ?? 'this server'}: create one with \`mailcap keys create <name>\`, and give it with --api-key or MAILCAP_API_KEY.`;
}

/** Names the key that was refused, and what to do about it. */
function badKey(args: Arguments): string {
  const source = keySourceOf(args);
  if (source === '--api-key')
    return 'the server does not accept the key of --api-key: create another with `mailcap keys create <name>`.';
  if (source === 'MAILCAP_API_KEY')
    return `the server at ${args.text('url') ?? variable('MAILCAP_URL')} does not accept the key in MAILCAP_API_KEY: set it to a key of that server; \`mailcap keys create <name>\` issues one there.`;
  return 'the development key of the server was revoked: restart the server to get another, or create one with `mailcap keys create <name>` for --api-key.';
}

function unreachable(error: NoServerError): string {
  const { url, mayHaveRun, message, hint } = error;
  if (url === null) return oneLine(message);
  if (!mayHaveRun) return noAnswerAt(url, error);
  return `the request was sent to ${url}, but its answer was lost:  ${whyUnreached(error)}. ${hint ?? ''}`.trim();
}

/** Joins the lines of a message. A hint is on a line of its own. */
function oneLine(message: string): string {
  return message
    .split('\n')
    .map((line, at, all) => (at < all.length - 1 && !/[.!?:]$/.test(line) ? `${line}.` : line))
    .join(' ');
}
