import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { processStart } from '../../src/process-start.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { type TestServer, test } from '../support/mailcap.ts';

const CLIENT = pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', 'src', 'client', 'index.js')).href;
const exec = promisify(execFile);

/** Runs a program in a directory and returns its output. It has none of our variables except the given ones. */
async function runIn(cwd: string, body: string, env: Record<string, string> = {}): Promise<string> {
  const script = `import { createClient } from ${JSON.stringify(CLIENT)};\nconst client = createClient();\n${body}`;
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MAILCAP_')));
  const options = { cwd, env: { ...own, ...env } };
  const { stdout } = await exec(process.execPath, ['--input-type=module', '-e', script], options);
  return stdout.trim();
}

/** The content of the server.json of a server in this process. */
function announcedBy({ runtime }: TestServer['ctx']) {
  return { ...runtime.ready, adminToken: null, processStart: processStart(process.pid) };
}

async function announce({ ctx }: TestServer, directory: string, changes: object = {}): Promise<void> {
  await mkdir(join(directory, '.mailcap'), { recursive: true });
  await writeFile(join(directory, '.mailcap', 'server.json'), JSON.stringify({ ...announcedBy(ctx), ...changes }));
}

const DEAD_PID = 2 ** 22 + 1;
const LIST = 'console.log((await client.listMailboxes())[0].subdomain);';
const WHERE = 'console.log(JSON.stringify(await client.server()));';

test('a server that runs in the directory or above is found, its key and workspace with it', async ({ mailcap }) => {
  const directory = await temporaryDirectory();
  const below = join(directory, 'packages', 'shop');
  await mkdir(below, { recursive: true });
  await mkdir(join(directory, '.git'));
  await announce(mailcap, directory);
  expect(await runIn(below, LIST)).toBe('inbox');
  expect(JSON.parse(await runIn(below, WHERE))).toMatchObject({
    url: mailcap.url,
    workspaceId: mailcap.workspaceId,
    mailDomain: mailcap.mailDomain,
  });
  // The nearest running server is found. The file of a dead process is ignored.
  await announce(mailcap, below, { url: 'http://127.0.0.1:1', pid: DEAD_PID });
  expect(await runIn(below, LIST)).toBe('inbox');
});

test('what the environment says of the cloud does not count for a server that is found', async ({ mailcap }) => {
  const directory = await temporaryDirectory();
  await announce(mailcap, directory);
  const ofTheCloud = {
    MAILCAP_MAIL_DOMAIN: 'cloud.test',
    MAILCAP_WEBHOOK_BASE_URL: 'https://hooks.cloud.test',
    MAILCAP_WORKSPACE_ID: 'w',
  };
  expect(JSON.parse(await runIn(directory, WHERE, ofTheCloud))).toMatchObject({
    url: mailcap.url,
    workspaceId: mailcap.workspaceId,
    mailDomain: mailcap.mailDomain,
    webhookBaseUrl: mailcap.ctx.runtime.ready?.webhookBaseUrl,
  });
});

test('the environment comes first, and the key of a found server is not used for a server elsewhere', async ({
  mailcap,
}) => {
  const directory = await temporaryDirectory();
  await announce(mailcap, directory);
  const elsewhere = { MAILCAP_URL: 'https://cloud.x.test/', MAILCAP_API_KEY: 'svc_live_x', MAILCAP_WORKSPACE_ID: 'w' };
  expect(JSON.parse(await runIn(directory, WHERE, elsewhere))).toEqual({
    url: 'https://cloud.x.test',
    apiKey: 'svc_live_x',
    adminToken: null,
    workspaceId: 'w',
    mailDomain: null,
    webhookBaseUrl: null,
  });
  const error = await runIn(directory, LIST, {
    MAILCAP_URL: 'http://127.0.0.1:1',
  }).catch((reason: { stderr: string }) => reason.stderr);
  expect(error).toContain('There is no API key for http://127.0.0.1:1.');
  // The file describes the same server, so its other values apply.
  expect(await runIn(directory, LIST, { MAILCAP_URL: mailcap.url })).toBe('inbox');
});

test('without a server, an error at once says how to start one', async () => {
  const directory = await temporaryDirectory();
  const body = `
    const started = performance.now();
    const error = await client.listMailboxes().catch((reason) => reason);
    console.log(JSON.stringify([error.name, error.code, error.hint, performance.now() - started]));`;
  const [name, code, hint, took] = JSON.parse(await runIn(directory, body));
  expect({ name, code }).toEqual({ name: 'NoServerError', code: 'no_server' });
  expect(hint).toContain('npx mailcap dev');
  expect(took).toBeLessThan(10_000);
});

test('a server that starts after a call has failed is found by the next', async ({ mailcap }) => {
  const directory = await temporaryDirectory();
  const ready = JSON.stringify(announcedBy(mailcap.ctx));
  const body = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    const error = await client.listMailboxes().catch((reason) => reason);
    mkdirSync('.mailcap');
    writeFileSync('.mailcap/server.json', ${JSON.stringify(ready)});
    console.log(error.code, (await client.listMailboxes())[0].subdomain);`;
  expect(await runIn(directory, body)).toBe('no_server inbox');
});
