import { randomBytes } from 'node:crypto';
import { createClient } from '../../src/client/index.ts';
import { isLoopbackHost } from '../../src/client/internal.ts';
import type { MailcapOptions } from '../../src/index.ts';
import {
  type AnnouncedAddresses,
  inTheClear,
  sendingVariables,
  setVariables,
  variablesOf,
} from '../shared/environment.ts';
import { variablesOfRunning } from '../shared/running-server.ts';
import { startServer } from '../shared/start-server.ts';
import type {} from './matchers.ts';

/** The options of the server of a run: those of `createMailcap` that can be written as JSON. */
export type MailcapGlobalSetupOptions = Omit<MailcapOptions, 'overrides'>;

/** The part of Vitest's project that a setup needs. A file in CommonJS can't import the type of it. */
interface Project {
  readonly provide: (key: 'mailcap', addresses: AnnouncedAddresses) => void;
}

type Setup = (project: Project) => Promise<() => Promise<void>>;

/**
 * Starts one server for the whole run, including reruns in watch mode, or uses the server at `MAILCAP_URL` or the one that
 * runs in this directory or above it. It sets
 * `MAILCAP_SMTP_URL`, `MAILCAP_SMTP_HOST` and `MAILCAP_SMTP_PORT` for the code under test, and the variables of the SDKs of
 * providers. The returned function stops
 * the server. Throws a MailcapError if the server does not start.
 *
 * @example test: { globalSetup: ['mailcap/vitest/global-setup'] }
 */
export const setup: Setup = (project) => start(project, {});

/**
 * Returns a global setup that starts the server with options, as for an app that runs in a container. It sets
 * `MAILCAP_ADMIN_TOKEN` too if other machines reach the server.
 *
 * @example export default globalSetup({ host: '0.0.0.0', smtpPort: 1025 });
 */
export function globalSetup(options: MailcapGlobalSetupOptions = {}): Setup {
  return (project) => start(project, options);
}

async function start({ provide }: Project, options: MailcapGlobalSetupOptions): Promise<() => Promise<void>> {
  if (process.env['MAILCAP_URL']) {
    const client = createClient();
    // The cloud has no SMTP server to announce.
    const undo = (await client.hasLocalApi())
      ? setVariables(sendingVariables(process.env['MAILCAP_URL'], inTheClear((await client.local.getInfo()).smtpUrl)))
      : () => {};
    return async () => undo();
  }
  const running = Object.keys(options).length === 0 ? await variablesOfRunning() : null;
  if (running !== null) {
    const undo = setVariables(running);
    return async () => undo();
  }
  // Only this machine reaches a server on loopback, which then needs no token.
  const adminToken = isLoopbackHost(options.host ?? '127.0.0.1')
    ? undefined
    : (options.adminToken ?? (process.env['MAILCAP_ADMIN_TOKEN'] || randomBytes(32).toString('base64url')));
  const { ready, stop } = await startServer(adminToken === undefined ? options : { ...options, adminToken });
  const undo = setVariables({
    ...variablesOf(ready),
    ...(adminToken === undefined ? {} : { MAILCAP_ADMIN_TOKEN: adminToken }),
  });
  provide('mailcap', ready);
  return async () => {
    undo();
    await stop();
  };
}
