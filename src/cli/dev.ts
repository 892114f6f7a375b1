import { once } from 'node:events';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import { findReadyServer } from '../client/connection/find-server.ts';
import { nullIfNoServer } from '../client/errors.ts';
import { connectHost, isEverywhere, urlHost } from '../config/host.ts';
import { type InPlaceOf, loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { LISTENERS, type ListenerOption, whyNotListening } from '../config/start-error.ts';
import { UserError } from '../config/user-error.ts';
import type { Mailcap } from '../index.ts';
import type { Ready } from '../runtime.ts';
import { errorCode } from '../text/unknown.ts';
import { every, sleep } from './clock.ts';
import { Arguments, type Flags } from './command.ts';
import { openInBrowser } from './open.ts';
import { flushed, goOnWithoutReader, printJson, printText, say, sayText } from './output.ts';

/** The longest time to wait at the end for a reader of the last events, in milliseconds. */
const FLUSH_MS = 1_000;

/** Runs `mailcap dev`: a server that runs until a signal or a key ends it. */
export async function dev({ detach, ...flags }: Flags, inPlaceOf?: InPlaceOf): Promise<number> {
  if (new Arguments({ detach }, []).isOn('detach')) return detached(flags);
  goOnWithoutReader();
  const stop = untilStopped();
  const config = await loadConfig(flags, process.env, process.cwd(), 'programs', inPlaceOf);
  for (const note of config.notes) say(note);
  await checkPorts(config);
  // This loads most of the program, so it happens only after the configuration proved valid.
  const { serve } = await import('../index.ts');
  const server = await serve(config, { announce: true }).catch(async (error: unknown) => {
    throw await whyNotStarted(error, config);
  });
  // The watcher is loaded before anything is printed, because the user may press a key as soon as the banner names it.
  const [watch, tellReady] = await Promise.all([watcher(config), teller(config, process.stdin.isTTY)]);
  // Events follow the ready line. Keys work as soon as they are named.
  if (config.json) tellReady(server.ready, server.adminToken);
  const end = watch(server, stop.now);
  if (!config.json) {
    tellReady(server.ready, server.adminToken);
    if (config.dropIn !== null && !/silent|error/.test(config.logLevel)) printText(linesOfMailpit(server, config));
  }
  if (config.open) void openInBrowser(server.url);
  await stop.asked;
  end();
  await server.close();
  // A reader that does not read the last events must not block the exit.
  await Promise.race([flushed(), sleep(FLUSH_MS)]);
  return 0;
}

/** Runs `mailcap dev --detach`. What can be wrong with the options and the ports is told here, not in the server's log. */
async function detached(flags: Flags): Promise<number> {
  const config = await loadConfig(flags, process.env, process.cwd(), 'programs');
  await checkPorts(config);
  const args = process.argv.slice(3).filter((arg) => !/^--(no-)?(detach|json)(=|$)/.test(arg));
  return (await import('./dev/detach.ts')).startDetached(config, args, await teller(config, null));
}

/**
 * Returns the function that reports the ready server: a line of JSON with --json, else the banner. `keys` tells whether
 * the terminal of the banner takes keys. The banner is loaded only then, because it measures text.
 */
async function teller({ json, host, adminToken: given }: Config, keys: boolean | null) {
  if (json)
    return (ready: Ready, adminToken: string | null) => {
      printJson(ready);
      // The fields of the JSON line are fixed, so the generated admin token goes to standard error.
      if (adminToken !== null && given === null) sayText(`admin token: ${adminToken}\n`);
    };
  const { banner } = await import('./banner.ts');
  return (ready: Ready, adminToken: string | null) => printText(banner(ready, { adminToken, host, keys }));
}

/**
 * Returns the lines that Mailpit logs at its start. Test libraries wait for them, and read no port from them: the port
 * outside of a container is another.
 */
function linesOfMailpit(
  { ready, smtp }: Mailcap,
  { webroot, smtpHost, host, https, port: configured }: Config,
): string {
  const port = new URL(ready.url).port || String(configured);
  const reached = isEverywhere(host) ? 'localhost' : urlHost(host);
  return [
    `[smtpd] starting on ${urlHost(smtpHost ?? host)}:${smtp.port}`,
    `[http] starting on ${urlHost(host)}:${port}`,
    `[http] accessible via ${https === 'on' ? 'https' : 'http'}://${reached}:${port}${webroot ?? ''}/`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

type Watch = (server: Mailcap, stop: () => void) => () => void;

/**
 * Returns the function that starts the output beside the server: events for --json, mail lines and hotkeys at a
 * terminal, else a plain line for each mail, unless --log-level is silent.
 */
async function watcher({ json, logLevel }: Config): Promise<Watch> {
  if (json) return (await import('./dev/print-feed.ts')).printEvents;
  const { stdin, stdout } = process;
  const watches: Watch[] = [];
  if (stdin.isTTY || stdout.isTTY) watches.push((await import('./dev/at-terminal.ts')).atTerminal);
  if (!stdout.isTTY && logLevel !== 'silent') watches.push((await import('./dev/print-feed.ts')).printMails);
  return (server, stop) => {
    const ends = watches.map((watch) => watch(server, stop));
    return () => {
      for (const end of ends) end();
    };
  };
}

/** Reports a port in use at once. Loading the program and opening a large store would take a while. */
async function checkPorts(config: Config): Promise<void> {
  for (const option of Object.keys(LISTENERS) as ListenerOption[]) {
    const port = config[option];
    if (port === 0 || port === null) continue;
    const probe = createServer();
    try {
      const isForMail = option === 'smtpPort' || option === 'smtpsPort';
      const host = isForMail ? (config.smtpHost ?? config.host) : config.host;
      await once(probe.listen(port, host), 'listening');
      await once(probe.close(), 'close');
    } catch (error) {
      throw (await ownServer(error, option, config)) ?? (await portTaken(error, option, config));
    }
  }
}

/**
 * Returns an error if this directory's own server has the port, else null. Another port would not help then, because
 * both servers would use one store.
 */
async function ownServer(error: unknown, option: ListenerOption, config: Config): Promise<UserError | null> {
  const running = await findReadyServer(config.dataDir).catch(nullIfNoServer);
  if (running === null) return null;
  const taken = option === 'port' ? Number(new URL(running.url).port) : running.smtpPort;
  return taken === config[option] ? runsAlready(running, error) : null;
}

/** The longest time to ask a port who listens there, in milliseconds. */
const ASK_MS = 300;

/** Explains why a port can't be used. Of one in use it names who has it, as far as this can be found out. */
async function portTaken(error: unknown, option: ListenerOption, config: Config): Promise<unknown> {
  const isTaken = errorCode(error) === 'EADDRINUSE';
  const port = config[option];
  if (!isTaken || port === null) return whyNotListening(error, option, config);
  const { holderOf } = await import('./server/port-holder.ts');
  const holder = await holderOf(LISTENERS[option], connectHost(config.host), port, ASK_MS);
  return whyNotListening(error, option, config, holder);
}

/**
 * Explains why a server could not start: its directory is in use by a server that runs. Returns any other error
 * unchanged.
 */
async function whyNotStarted(error: unknown, config: Config): Promise<unknown> {
  const cause = error instanceof UserError ? error.cause : error;
  const isLocked = errorCode(cause) === 'STORE_LOCKED';
  const running = isLocked ? await findReadyServer(config.dataDir).catch(nullIfNoServer) : null;
  return running === null ? error : runsAlready(running, error);
}

function runsAlready(running: Ready, error: unknown): UserError {
  return new UserError(
    `a server runs in this directory already: ${running.url}, process ${running.pid}. \`mailcap inbox\` shows its mail, \`mailcap status\` its addresses, \`mailcap stop\` ends it; a second server needs its own --data-dir, --port and --smtp-port.`,
    1,
    { cause: error },
  );
}

export interface Stop {
  /** Resolves when the first signal or key asks for the end. */
  readonly asked: Promise<void>;
  /** Asks for the end. The second call ends the process at once. */
  now(): void;
}

const LOOK_EVERY_MS = 200;

/**
 * Listens for signals from now on, so that a signal during the start is not lost. If `npx mailcap` started the process,
 * it also ends when npx ends: npm sends a signal only to the shell between them, and that shell does not pass it on.
 */
function untilStopped(): Stop {
  let ask = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  let times = 0;
  const stop = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
    times += 1;
    if (times > 1) process.exit(128 + constants.signals[signal]);
    ask();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  if (isStartedByNpx(process.env)) endWithParent(ask);
  return { asked, now: () => stop('SIGINT') };
}

/** Tells whether npx started this very command, not a program that starts mailcap to go on without it. */
export function isStartedByNpx(env: NodeJS.ProcessEnv): boolean {
  return env['npm_command'] === 'exec' && /^'?mailcap'?(\s|$)/.test(env['npm_lifecycle_script'] ?? '');
}

function endWithParent(end: () => void): void {
  const parent = process.ppid;
  const cancel = every(LOOK_EVERY_MS, () => {
    if (process.ppid === parent) return;
    cancel();
    end();
  });
}
