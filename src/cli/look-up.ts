import { resolve } from 'node:path';
import { findReadyServer, findServerAbove, findServerIn } from '../client/connection/find-server.ts';
import { NoServerError } from '../client/errors.ts';
import { configProgramIn } from '../config/file.ts';
import { checkVariables, loadConfig } from '../config/load.ts';
import { ConfigError, UserError } from '../config/user-error.ts';
import type { ServerFile } from '../runtime.ts';
import { isSamePlace, isUrl } from '../text/url.ts';
import { type Arguments, EXIT } from './command.ts';

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

/** Returns the error that no server was found. */
export function noServer(): UserError {
  const program = configProgramIn(process.cwd());
  const ofProgram = program === null ? '' : ` Only \`mailcap dev\` reads the data directory in ${program}.`;
  return new UserError(
    `no server runs in this directory or above it: \`npx mailcap dev\` starts one here; or name one with --url, --data-dir or MAILCAP_URL.${ofProgram}`,
    EXIT.unreachable,
  );
}

/** Returns an environment variable; null if it is not set or empty. */
export function variable(name: string): string | null {
  return process.env[name] || null;
}

/**
 * Returns the running server of this machine that answers at a URL: one of this directory or above it, or of
 * MAILCAP_DATA_DIR. Returns null if neither is at the URL. `localhost` and `127.0.0.1` are one host.
 */
export async function ownServerAt(url: string): Promise<ServerFile | null> {
  const dataDir = variable('MAILCAP_DATA_DIR');
  const places = [dataDir === null ? null : findReadyServer(resolve(dataDir)), findServerAbove(process.cwd())];
  for (const running of await Promise.all(places.map((place) => place?.catch(nullIfRefused) ?? null)))
    if (running !== null && isSamePlace(running.url, url)) return running;
  return null;
}

/** Returns null for a server.json that is not believed. The caller needs none, or has another error to report. */
export function nullIfRefused(error: unknown): null {
  if (error instanceof NoServerError) return null;
  throw error;
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
