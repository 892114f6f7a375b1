import { once } from 'node:events';
import { createServer } from 'node:net';
import { findReadyServer } from '../client/connection/find-server.ts';
import type { Config } from '../config/options.ts';
import { type Listening, whyNotListening } from '../config/start-error.ts';
import { UserError } from '../config/user-error.ts';
import type { Ready } from '../runtime.ts';
import { nullIfRefused } from './look-up.ts';

const LISTENERS: readonly Listening[] = [
  { what: 'HTTP', option: 'port' },
  { what: 'SMTP', option: 'smtpPort' },
  { what: 'SMTPS', option: 'smtpsPort' },
];

/** Reports a port in use at once. Loading the program and opening a large store would take a while. */
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

/**
 * Returns an error if this directory's own server has the port, else null. Another port would not help then, because
 * both servers would use one store.
 */
async function ownServer(error: unknown, { option }: Listening, config: Config): Promise<UserError | null> {
  const running = await findReadyServer(config.dataDir).catch(nullIfRefused);
  if (running === null) return null;
  const taken = option === 'port' ? Number(new URL(running.url).port) : running.smtpPort;
  return taken === config[option] ? runsAlready(running, error) : null;
}

/**
 * Explains why a server could not start: its directory is in use by a server that runs. Returns any other error
 * unchanged.
 */
export async function whyNotStarted(error: unknown, config: Config): Promise<unknown> {
  const cause = error instanceof UserError ? error.cause : error;
  const isLocked = cause instanceof Error && 'code' in cause && cause.code === 'STORE_LOCKED';
  const running = isLocked ? await findReadyServer(config.dataDir).catch(nullIfRefused) : null;
  return running === null ? error : runsAlready(running, error);
}

function runsAlready(running: Ready, error: unknown): UserError {
  return new UserError(
    `a server runs in this directory already: ${running.url}, process ${running.pid}. \`mailcap inbox\` shows its mail, \`mailcap status\` its addresses; a second server needs its own --data-dir, --port and --smtp-port.`,
    1,
    { cause: error },
  );
}
