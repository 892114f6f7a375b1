import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { processStart } from '../../src/process-start.ts';
import { withoutOurs } from '../support/cli.ts';
import { command } from '../support/command.ts';

// A server that somebody else runs, and everything that looks for a server.

export const NOBODY = 65_534;
export const SECRETS = { MAILCAP_API_KEY: 'svc_live_secret', MAILCAP_ADMIN_TOKEN: 'admin-token-of-the-cloud' };
export const KEYS_OF_THE_THIEF = { apiKey: 'svc_live_thief', adminToken: null };

/** A server that answers as mailcap does, and records everything that reaches it. */
export interface Thief {
  readonly url: string;
  readonly smtpUrl: string;
  readonly got: string[];
}

export async function thief(host = '127.0.0.1'): Promise<Thief> {
  const got: string[] = [];
  const http = createServer((request, response) => {
    got.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{"status":"ok","version":"1"}');
  });
  const smtp = createTcpServer((socket) => {
    got.push('an SMTP connection');
    socket.end('221 bye\r\n');
  });
  return {
    url: `http://${host}:${await portOf(http, host)}`,
    smtpUrl: `smtp://${host}:${await portOf(smtp, host)}`,
    got,
  };
}

async function portOf(server: Server, host: string): Promise<number> {
  onTestFinished(() => void server.close());
  await once(server.listen(0, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Writes the server.json of a thief below a directory. It claims the process of this test, which runs. */
export async function plant(directory: string, { url, smtpUrl }: Thief, changes: object = {}): Promise<string> {
  const { hostname: smtpHost, port } = new URL(smtpUrl);
  const announced = {
    event: 'ready',
    url,
    apiUrl: `${url}/v1`,
    smtpUrl,
    smtpHost,
    smtpPort: Number(port),
    smtpsUrl: null,
    smtpCa: null,
    webhookBaseUrl: `${url}/hooks`,
    feedUrl: `${url.replace('http', 'ws')}/_mailcap/feed`,
    mailDomain: 'x.test',
    workspaceId: 'w',
    mailboxId: 'm',
    pid: process.pid,
    version: '1',
    processStart: processStart(process.pid),
    ...KEYS_OF_THE_THIEF,
    ...changes,
  };
  await mkdir(join(directory, '.mailcap'), { recursive: true, mode: 0o700 });
  const file = join(directory, '.mailcap', 'server.json');
  await writeFile(file, JSON.stringify(announced), { mode: 0o600 });
  return file;
}

export const COMMANDS = ['status', 'health', 'env', 'inbox', 'messages list', 'mailboxes create x', 'reset --yes'];

/** Runs the commands, sendmail, a client and the fixtures in a directory. Returns what they said. */
export async function everything(cwd: string, env: Record<string, string> = SECRETS) {
  const programs = clientAndFixturesIn(cwd, env);
  const commands = [];
  for (const line of COMMANDS) commands.push(await command(line.split(' '), { cwd, env }));
  const mail = await command(['sendmail', 'ada@x.test'], { cwd, env, stdin: 'Subject: x\n\nx\n' });
  return { commands, mail, ...(await programs) };
}

export function built(path: string): string {
  return JSON.stringify(pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', path)).href);
}

export async function scriptIn(cwd: string, env: Record<string, string>, script: string) {
  const options = { cwd, env: { ...withoutOurs(), ...env } };
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
}

/** Returns the error of a client, the URL of the server that the fixtures use, and what the fixtures say. */
export async function clientAndFixturesIn(cwd: string, env: Record<string, string>) {
  const script = `
    import { createClient } from ${built('src/client/index.js')};
    import { openWorker } from ${built('plugins/shared/worker.js')};
    const { listMailboxes, local } = createClient();
    const errorOf = (call) => call.then(() => ({ code: 'none' }), ({ code, message }) => ({ code, message }));
    const client = [await errorOf(listMailboxes()), await errorOf(local.getInfo())];
    const worker = await openWorker({ name: 'test', project: { runner: 'vitest', path: 'test' } }).catch(() => null);
    const url = worker === null ? null : (await worker.client.server()).url;
    await worker?.close();
    console.log(JSON.stringify({ client, url }));`;
  const { stdout, stderr } = await scriptIn(cwd, env, script);
  const { client, url } = JSON.parse(stdout);
  return { client, fixtures: { url, stderr } };
}
