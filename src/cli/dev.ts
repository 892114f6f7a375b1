import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import type { Mailcap } from '../index.ts';
import { banner } from './banner.ts';
import { sleep } from './clock.ts';
import type { Flags } from './dev-flags.ts';
import { checkPorts } from './free-ports.ts';
import { openInBrowser } from './open.ts';
import { flushed } from './output.ts';
import { untilStopped } from './stop-signals.ts';

/** How long a reader of the events may take over the last ones. */
const FLUSH_MS = 1_000;

/** `mailcap dev`: a server until a signal or a key ends it. */
export async function dev(flags: Flags): Promise<number> {
  const stop = untilStopped();
  const config = await loadConfig(flags, process.env, process.cwd());
  await checkPorts(config);
  // Once the configuration is known to be good: this is most of the program.
  const { serve } = await import('../index.ts');
  const server = await serve(config, { announce: true });
  // A consumer that went away is no reason to stop capturing.
  process.stdout.on('error', () => {});
  // Loaded before anything is said: who is told of keys may press one at once.
  const watch = await watcher(config);
  // Events come after the ready line; keys may be typed as soon as they are told.
  if (config.json) tellReady(config, server);
  const end = watch(server, stop.now);
  if (!config.json) tellReady(config, server);
  if (config.open) void openInBrowser(server.url);
  await stop.asked;
  end();
  await server.close();
  // Events that nobody reads keep nobody waiting.
  await Promise.race([flushed(), sleep(FLUSH_MS)]);
  return 0;
}

function tellReady(config: Config, server: Mailcap): void {
  if (!config.json) {
    process.stdout.write(banner(server, { keys: process.stdin.isTTY }));
    return;
  }
  process.stdout.write(`${JSON.stringify(server.ready)}\n`);
  // The line's fields are fixed, and a token nobody knows locks everybody out.
  if (server.adminToken !== null && config.adminToken === null) console.error(`admin token: ${server.adminToken}`);
}

type Watch = (server: Mailcap, stop: () => void) => () => void;

/** What goes on while the server is up: events for a program, mail and hotkeys for a person, silence otherwise. */
async function watcher(config: Config): Promise<Watch> {
  if (config.json) return (await import('./dev/print-events.ts')).printEvents;
  if (!process.stdout.isTTY && !process.stdin.isTTY) return () => () => {};
  return (await import('./dev/at-terminal.ts')).atTerminal;
}
