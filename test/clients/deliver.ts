import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { createMailcap, type Mailcap } from '../../src/index.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { has } from '../support/programs.ts';
import { CONFIGURATIONS, type Program } from './configurations.ts';
import type { Runnable } from './programs.ts';

const exec = promisify(execFile);

/**
 * The TLS mode of the server: without TLS, by default, with its self-signed certificate, or with clients that trust
 * that certificate.
 */
export type Mode = 'off' | 'auto' | 'on' | 'trusted';
export const MODES: readonly Mode[] = ['off', 'auto', 'on', 'trusted'];

/** Starts a server with every port that a client may use. */
export async function serverFor(mode: Mode): Promise<Mailcap> {
  const server = await createMailcap({
    port: 0,
    smtpPort: 0,
    smtpsPort: 0,
    dataDir: await temporaryDirectory(),
    durability: 'os',
    limits: 'off',
    logLevel: 'error',
    starttls: mode === 'trusted' ? 'on' : mode,
  });
  onTestFinished(() => server.close());
  return server;
}

/** Runs a program with all its configurations and returns the output of each by its name. */
export async function sendBy(
  program: Runnable,
  names: readonly string[],
  server: Mailcap,
  mode: Mode,
): Promise<Map<string, string>> {
  const [command, ...args] = program.command;
  const env = { ...cleanEnvironment(), ...addressesOf(server), ...(await trust(server, mode)), ...program.env };
  const stdout = await outputOf(exec(command, [...args, ...names], { env, timeout: 60_000, maxBuffer: 2 ** 24 }));
  const said = new Map<string, string>();
  for (const line of stdout.split('\n')) {
    const [name = '', told = ''] = line.split('\t');
    if (names.includes(name)) said.set(name, told);
  }
  return said;
}

/** Returns the output of a program, even if it hangs or fails. The mails it sent until then have arrived. */
async function outputOf(running: Promise<{ readonly stdout: string }>): Promise<string> {
  try {
    return (await running).stdout;
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  }
}

/** Returns the configurations whose mail arrived, identified by its address. */
export async function delivered(server: Mailcap): Promise<Set<string>> {
  const path = `/v1/mailboxes/${server.mailboxId}/messages?limit=200`;
  const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${server.apiKey}` } });
  const messages = (await response.json()) as { to: string }[]; // docs/contract.md#messages: a list of summaries
  const names = messages.map(({ to }) => /([\w-]+)@(?:inbox\.mailcap\.example\.com|example\.com)/.exec(to)?.[1] ?? '');
  return new Set(names);
}

export function namesOf(program: Program): string[] {
  return CONFIGURATIONS.filter((one) => one.program === program).map(({ name }) => name);
}

function addressesOf(server: Mailcap): Record<string, string> {
  const tlsPort = new URL(server.smtp.tlsUrl ?? '').port;
  return { HOST: 'localhost', PORT: String(server.smtp.port), TLS_PORT: tlsPort };
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([name]) => !/^(MAILCAP_|VITEST|SSL_CERT|NODE_EXTRA)/.test(name));
  return Object.fromEntries(clean);
}

/** Returns the settings that docs/tls.md requires. */
async function trust(server: Mailcap, mode: Mode): Promise<Record<string, string>> {
  const { ca } = server.smtp;
  if (mode !== 'trusted' || ca === null) return {};
  const all = { SSL_CERT_FILE: ca, NODE_EXTRA_CA_CERTS: ca, CURL_CA_BUNDLE: ca, CA: ca };
  if (!has('keytool')) return all;
  const store = join(await temporaryDirectory(), 'trust.p12');
  await rm(store, { force: true });
  await exec('keytool', [
    '-importcert',
    '-noprompt',
    '-alias',
    'mailcap',
    '-file',
    ca,
    '-keystore',
    store,
    '-storepass',
    'changeit',
  ]);
  return {
    ...all,
    JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`,
  };
}
