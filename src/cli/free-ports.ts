import { once } from 'node:events';
import { createServer } from 'node:net';
import { findServer } from '../client/connection/find-server.ts';
import type { Config } from '../config/options.ts';
import { type Listening, whyNotListening } from '../config/start-error.ts';
import { UserError } from '../config/user-error.ts';

const LISTENERS: readonly Listening[] = [
  { what: 'HTTP', option: 'port' },
  { what: 'SMTP', option: 'smtpPort' },
  { what: 'SMTPS', option: 'smtpsPort' },
];

/** Says at once that a port is in use: the program takes a while to load, and a large store to open. */
export async function checkPorts(config: Config): Promise<void> {
  for (const listening of LISTENERS) {
    const port = config[listening.option];
    if (port === 0 || port === null) continue;
    const probe = createServer();
    try {
      await once(probe.listen(port, config.host), 'listening');
      await once(probe.close(), 'close');
    } catch (error) {
      throw (await ownServer(error, listening, config)) ?? whyNotListening(error, listening, config);
    }
  }
}

/** Null where it is not this directory's own server that has the port: then another port would meet its store. */
async function ownServer(error: unknown, { option }: Listening, config: Config): Promise<UserError | null> {
  const running = await findServer(config.dataDir);
  if (running === null) return null;
  const taken = option === 'port' ? Number(new URL(running.url).port) : running.smtpPort;
  if (taken !== config[option]) return null;
  return new UserError(
    `a server runs in this directory already: ${running.url}, process ${running.pid}. \`mailcap inbox\` shows its mail, \`mailcap status\` its addresses; another one needs --data-dir, --port and --smtp-port of its own.`,
    1,
    { cause: error },
  );
}
