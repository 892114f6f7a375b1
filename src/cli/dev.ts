import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import type { Mailcap } from '../index.ts';
import { sleep } from './clock.ts';
import type { Flags } from './dev-flags.ts';
import { checkPorts, whyNotStarted } from './free-ports.ts';
import { openInBrowser } from './open.ts';
import { flushed, printJson, printText, sayText } from './output.ts';
import { untilStopped } from './stop-signals.ts';

/** The longest time to wait at the end for a reader of the last events, in milliseconds. */
const FLUSH_MS = 1_000;

/** Runs `mailcap dev`: a server that runs until a signal or a key ends it. */
export async function dev(flags: Flags): Promise<number> {
  const stop = untilStopped();
  const config = await loadConfig(flags, process.env, process.cwd(), 'programs');
  await checkPorts(config);
  // This loads most of the program, so it happens only after the configuration proved valid.
  const { serve } = await import('../index.ts');
  const server = await serve(config, { announce: true }).catch(async (error: unknown) => {
    throw await whyNotStarted(error, config);
  });
  // Capturing goes on even if the reader of standard output went away.
  process.stdout.on('error', () => {});
  // The watcher is loaded before anything is printed, because the user may press a key as soon as the banner names it.
  const [watch, tellReady] = await Promise.all([watcher(config), teller(config)]);
  // Events follow the ready line. Keys work as soon as they are named.
  if (config.json) tellReady(server);
  const end = watch(server, stop.now);
  if (!config.json) tellReady(server);
  if (config.open) void openInBrowser(server.url);
  await stop.asked;
  end();
  await server.close();
  // A reader that does not read the last events must not block the exit.
  await Promise.race([flushed(), sleep(FLUSH_MS)]);
  return 0;
}

/**
 * Returns the function that reports the ready server: a line of JSON with --json, else the banner. Loads the banner
 * only then, because it measures text.
 */
async function teller(config: Config): Promise<(server: Mailcap) => void> {
  if (!config.json) {
    const { banner } = await import('./banner.ts');
    return (server) => printText(banner(server, { keys: process.stdin.isTTY }));
  }
  return (server) => {
    printJson(server.ready);
    // The fields of the JSON line are fixed, so the generated admin token goes to standard error.
    if (server.adminToken !== null && config.adminToken === null) sayText(`admin token: ${server.adminToken}\n`);
  };
}

type Watch = (server: Mailcap, stop: () => void) => () => void;

/**
 * Returns the function that starts the output beside the server: events for --json, mail lines and hotkeys at a
 * terminal, else a plain line for each mail, unless --log-level is silent.
 */
async function watcher({ json, logLevel }: Config): Promise<Watch> {
  if (json) return (await import('./dev/print-events.ts')).printEvents;
  const { stdin, stdout } = process;
  const watches: Watch[] = [];
  if (stdin.isTTY || stdout.isTTY) watches.push((await import('./dev/at-terminal.ts')).atTerminal);
  if (!stdout.isTTY && logLevel !== 'silent') watches.push((await import('./dev/print-mails.ts')).printMails);
  return (server, stop) => {
    const ends = watches.map((watch) => watch(server, stop));
    return () => {
      for (const end of ends) end();
    };
  };
}
