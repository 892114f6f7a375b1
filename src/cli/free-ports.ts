import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config/options.ts';
import { type Listening, whyNotListening } from '../config/start-error.ts';

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
      throw whyNotListening(error, listening, config);
    }
  }
}
