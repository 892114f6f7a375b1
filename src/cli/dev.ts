import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import type { Mailcap } from '../index.ts';
import { banner } from './banner.ts';
import type { Flags } from './dev-flags.ts';
import { checkPorts } from './free-ports.ts';
import { listenForKeys } from './keys.ts';
import { openInBrowser } from './open.ts';
import { untilStopped } from './stop-signals.ts';

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
  tellReady(config, server);
  if (config.open) openInBrowser(server.url);
  const ignoreKeys = listenForKeys({ o: () => openInBrowser(server.url), q: stop.now, '\u0003': stop.now });
  await stop.asked;
  ignoreKeys();
  await server.close();
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
