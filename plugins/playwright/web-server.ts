import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { PlaywrightTestConfig } from '@playwright/test';
import { isLoopbackHost, now, RUN_STARTED_AT } from '../../src/client/internal.ts';
import type { MailcapOptions } from '../../src/index.ts';
import { sendingVariables, setVariables } from '../shared/environment.ts';
import { mayRunAbove } from '../shared/running-server.ts';
import { FIND_ORDER, NODE_ARGUMENTS, orderOf, PROGRAM } from '../shared/start-server.ts';

type WebServer = Exclude<NonNullable<PlaywrightTestConfig['webServer']>, readonly unknown[]>;

/**
 * The options of `mailcapWebServer`: the options of `createMailcap` that can be written as JSON, and the `name`, the
 * `timeout` and the `env` of the entry.
 */
export type MailcapWebServerOptions = Omit<MailcapOptions, 'overrides'> & {
  /** The name of the entry in Playwright's output; `mailcap` if left out. */
  readonly name?: string | undefined;
  /** The time that Playwright waits for the server to start, in milliseconds; Playwright's default if left out. */
  readonly timeout?: number | undefined;
  /** Further environment variables of the server's process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
};

/**
 * Returns an entry of `webServer` that starts a server for the run. It sets `MAILCAP_URL`, `MAILCAP_API_KEY`,
 * `MAILCAP_SMTP_URL`, `MAILCAP_SMTP_HOST` and `MAILCAP_SMTP_PORT` in the environment, and the variables of the SDKs of
 * providers, for the entries after it, the app and the tests. It starts nothing if `MAILCAP_URL` is already set or, without
 * options of the server, if one runs in this directory or above it.
 *
 * @example webServer: [mailcapWebServer(), { command: 'npm start', url: 'http://127.0.0.1:3000' }]
 */
export function mailcapWebServer(options: MailcapWebServerOptions = {}): WebServer {
  const { name = 'mailcap', timeout, env = {}, ...given } = options;
  const common = { name, ...(timeout !== undefined && { timeout }) };
  if (!process.env['MAILCAP_URL'] && Object.keys(given).length === 0) setVariables(findRunning());
  const runner = process.env[RUNNER];
  // Workers read the configuration too, and a test may run Playwright itself. Both inherit the environment of the first
  // reader.
  if (process.env['MAILCAP_URL'] && runner !== String(process.pid))
    return { ...common, command: `${quoted(process.execPath)} -e ""` };
  if (!process.env['MAILCAP_URL']) announce(given);
  const server: MailcapOptions = {
    ...given,
    port: Number(new URL(process.env['MAILCAP_URL'] ?? '').port),
    smtpPort: Number(new URL(process.env['MAILCAP_SMTP_URL'] ?? '').port),
    apiKey: process.env['MAILCAP_API_KEY'],
    ...(isLoopbackHost(given.host ?? '127.0.0.1') ? {} : { adminToken: process.env['MAILCAP_ADMIN_TOKEN'] }),
  };
  return {
    ...common,
    command: [process.execPath, ...NODE_ARGUMENTS, PROGRAM].map(quoted).join(' '),
    url: `${process.env['MAILCAP_URL']}/_mailcap/health`,
    reuseExistingServer: false,
    env: { ...env, MAILCAP_SERVE: orderOf(server, Number(process.env[RUNNER])) },
  };
}

/** Returns the variables of the server that runs in this directory or above it; none if no server does. */
function findRunning(): Readonly<Record<string, string>> {
  if (!mayRunAbove(process.cwd())) return {};
  const { NODE_OPTIONS: _, ...env } = process.env;
  // The configuration is read synchronously, and a client asks asynchronously.
  const out = execFileSync(process.execPath, [...NODE_ARGUMENTS, PROGRAM], {
    encoding: 'utf8',
    env: { ...env, MAILCAP_SERVE: FIND_ORDER },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(out) ?? {};
}

/** The variable that holds the id of the process that announced the addresses. */
const RUNNER = 'MAILCAP_RUNNER';

/**
 * Sets the variables with the server's addresses before the server runs, because the rest of the configuration needs
 * them. It chooses a free port for each port that is 0.
 */
function announce({ port = 0, smtpPort = 0, host = '127.0.0.1', apiKey, adminToken }: MailcapOptions): void {
  const chosen = choosePorts([port, smtpPort], host);
  // A server on all addresses is reached on loopback from here.
  const here = /^[0.]+$/.test(host) ? '127.0.0.1' : /^[0:]+$/.test(host) ? '::1' : host;
  const at = here.includes(':') ? `[${here}]` : here;
  process.env['MAILCAP_URL'] = `http://${at}:${chosen[0]}`;
  process.env['MAILCAP_SMTP_URL'] = `smtp://${at}:${chosen[1]}`;
  process.env['MAILCAP_SMTP_HOST'] = here;
  process.env['MAILCAP_SMTP_PORT'] = String(chosen[1]);
  setVariables(sendingVariables(process.env['MAILCAP_URL'], process.env['MAILCAP_SMTP_URL']));
  process.env['MAILCAP_API_KEY'] = apiKey ?? `svc_live_${randomBytes(32).toString('base64url')}`;
  if (!isLoopbackHost(host)) process.env['MAILCAP_ADMIN_TOKEN'] = adminToken ?? randomBytes(32).toString('base64url');
  process.env[RUNNER] = String(process.pid);
  process.env[RUN_STARTED_AT] ??= new Date(now()).toISOString();
}

/**
 * The script that chooses ports below the ephemeral range, so that no client gets them before the server starts. It
 * runs in another process, because the configuration is read synchronously and listening is asynchronous.
 */
const CHOOSE = `
const { randomInt } = require('node:crypto');
const { createServer } = require('node:net');
const [wanted, host] = JSON.parse(process.argv[1]);
const tryOne = (port) => new Promise((resolve) => {
  const server = createServer();
  server.once('error', () => resolve(null));
  server.listen(port, host, () => resolve(server));
});
(async () => {
  const held = [];
  for (const port of wanted) {
    for (let tries = 0; port === 0 && tries < 1000; tries++) {
      const server = await tryOne(randomInt(10000, 32000));
      if (server !== null) { held.push(server); break; }
    }
  }
  const ports = held.map((server) => server.address().port);
  console.log(JSON.stringify(wanted.map((port) => port || ports.shift())));
  for (const server of held) server.close();
})();
`;

function choosePorts(wanted: readonly number[], host: string): readonly number[] {
  if (!wanted.includes(0)) return wanted;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const out = execFileSync(process.execPath, ['-e', CHOOSE, JSON.stringify([wanted, host])], { encoding: 'utf8', env });
  return JSON.parse(out);
}

function quoted(path: string): string {
  return `"${path}"`;
}
