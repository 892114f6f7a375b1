import { join } from 'node:path';
import { createToolClient } from '../../client/client.ts';
import { findReadyServer } from '../../client/connection/find-server.ts';
import { NoServerError } from '../../client/errors.ts';
import { configProgramIn } from '../../config/file.ts';
import { connectHost } from '../../config/host.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/options.ts';
import type { ServerFile } from '../../runtime.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { isLoopbackUrl } from '../../text/url.ts';
import { type Arguments, EXIT } from '../command.ts';
import { type FoundServer, lookUp, variable } from '../connect.ts';
import { outputStyles, printJson } from '../output.ts';
import { printHanging } from '../table.ts';
import { noAnswerAt } from '../unreachable.ts';
import {
  checkClock,
  checkDatabase,
  checkDirectory,
  checkDisk,
  checkNode,
  checkPort,
  checkProxies,
  checkServerFile,
  checkStore,
  portOf,
} from './doctor-checks.ts';
import { type DoctorFinding, failed, ok, warning } from './doctor-finding.ts';

/**
 * Runs `mailcap doctor`: checks for common problems. The exit code is 1 if one of them stops a server from working, and 4
 * if a URL names a server that does not answer.
 */
export async function doctor(args: Arguments): Promise<number> {
  const { json, url: _url, ...named } = args.flags;
  const config = await loadConfig(named, process.env, process.cwd(), 'json');
  const { store } = config;
  const server = await serverMeant(args, config.dataDir);
  const host = connectHost(config.host);
  const findings: DoctorFinding[] = [
    checkNode(process.versions.node),
    ...checkConfig(configProgramIn(process.cwd())),
    ...(await Promise.all([
      checkDirectory('Data directory', config.dataDir, 'dataDir', config.ephemeral),
      ...(store.kind === 'file' && config.given.has('store')
        ? [checkDirectory('Store', store.directory, 'store', config.ephemeral)]
        : []),
      checkDisk(config.dataDir),
      server.at === 'directory' ? checkServerFile(join(config.dataDir, 'server.json'), server.running) : server.finding,
      checkPort('HTTP', '--port', host, portMeant(config, 'port', server.url), server.url),
      checkPort('SMTP', '--smtp-port', host, portMeant(config, 'smtpPort', server.smtpUrl), server.smtpUrl),
    ])),
    ...(store.kind === 'postgres' ? await checkDatabase(store.url, config) : []),
    ...(store.kind === 'file' && !config.ephemeral ? await checkStore(store.directory) : []),
    // Other commands come in the same file of the package, so only this one loads the rules of `init`.
    ...(await (await import('../init/lacking.ts')).checkProject(process.cwd())),
    checkProxies(process.env),
    await checkClock(server.url, server.at === 'directory' ? (server.running?.adminToken ?? null) : null),
  ];
  if (json === true) printJson(findings);
  else for (const finding of findings) show(finding);
  if (server.at === 'url' && server.url === null) return EXIT.unreachable;
  return findings.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.done;
}

/** Returns the port to check: the one that is given, or else that of the server that runs here, which may be any. */
function portMeant({ given, ...ports }: Config, name: 'port' | 'smtpPort', own: string | null): number {
  const isHere = own !== null && isLoopbackUrl(own.replace(/^smtp:/, 'http:'));
  return (!given.has(name) && isHere && portOf(own)) || ports[name];
}

/** Warns of a config file that the doctor does not read, because it would have to run it. */
function checkConfig(file: string | null): DoctorFinding[] {
  if (file === null) return [];
  return [
    warning(
      'Config file',
      `${file} is a program, which only \`mailcap dev\` runs: these checks are without its options.`,
      'Give the doctor the same options as flags, or write them to mailcap.config.json.',
    ),
  ];
}

const INDENT = 21;

function show({ check, status, message, hint }: DoctorFinding): void {
  const { green, yellow, red, dim } = outputStyles();
  const sign = { ok: green('ok  '), warning: yellow('warn'), failed: red('FAIL') }[status];
  printHanging(`${sign} ${check.padEnd(15)} `, INDENT, harmlessLine(message));
  if (hint !== null) printHanging(' '.repeat(INDENT), INDENT, harmlessLine(hint), dim);
}

const PATIENCE_MS = 5_000;

/** The server that the other commands would talk to. `url` and `smtpUrl` are null if none answers. */
type ServerMeant = { readonly url: string | null; readonly smtpUrl: string | null } & (
  | { readonly at: 'directory'; readonly running: ServerFile | null }
  | { readonly at: 'refused'; readonly finding: DoctorFinding }
  | { readonly at: 'url'; readonly finding: DoctorFinding }
);

/**
 * Finds the server that the other commands would talk to, by the same look-up. A data directory need not have a running
 * server, because users also run the doctor before the first start.
 */
async function serverMeant(args: Arguments, dataDir: string): Promise<ServerMeant> {
  const url = args.text('url');
  const isDirectory =
    args.text('dataDir') !== null || (variable('MAILCAP_URL') === null && variable('MAILCAP_DATA_DIR') !== null);
  let found: FoundServer | null;
  try {
    if (url === null && isDirectory) return inDirectory(await findReadyServer(dataDir));
    found = await lookUp({ url, dataDir: args.text('dataDir'), readsConfig: true });
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    const message = error.message.split('\n', 1).join();
    return { at: 'refused', url: null, smtpUrl: null, finding: warning('Server', message, error.hint ?? '') };
  }
  return found?.at === 'url' ? atUrl(found.url, found.namedBy) : inDirectory(found?.running ?? null);
}

function inDirectory(running: ServerFile | null): ServerMeant {
  return { at: 'directory', running, url: running?.url ?? null, smtpUrl: running?.smtpUrl ?? null };
}

async function atUrl(url: string, namedBy: string): Promise<ServerMeant> {
  try {
    const response = await fetch(`${url}/_mailcap/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const message = `${url}, which ${namedBy} names, answers ${response.status}`;
    const finding = response.ok
      ? ok('Server', message)
      : failed('Server', message, '`mailcap health` shows the state of the server.');
    return { at: 'url', url, smtpUrl: await smtpUrlOf(url), finding };
  } catch (error) {
    const hint = `Start it, or correct ${namedBy}; without it, the server of this directory is used.`;
    return { at: 'url', url: null, smtpUrl: null, finding: failed('Server', noAnswerAt(url, error), hint) };
  }
}

/** Asks a server for its SMTP address; null if it does not tell. */
async function smtpUrlOf(baseUrl: string): Promise<string | null> {
  return createToolClient({ baseUrl })
    .local.getInfo()
    .then(
      ({ smtpUrl }) => smtpUrl,
      () => null,
    );
}
