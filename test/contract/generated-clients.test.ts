import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/mailcap.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const PATIENCE = 600_000;

// Generates clients from both documents with tools from their registries. A wrong type does not compile there.
describe('a client that is generated from both documents makes a round trip', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-generated-'));
  let server: TestServer;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    server = await startServer();
    for (const [name, path] of [
      ['cloud', '/openapi.json'],
      ['local', '/_mailcap/openapi.json'],
    ]) {
      writeFileSync(join(directory, `${name}.json`), await (await fetch(server.url + path)).text());
    }
    const { PATH, HOME } = process.env;
    environment = { PATH, HOME, MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
    Object.assign(environment, { MAILCAP_WORKSPACE_ID: server.workspaceId });
  });
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const execute = (file: string, args: string[]) => run(file, args, { cwd: directory, env: environment });

  test('in TypeScript, by openapi-typescript and openapi-fetch', { timeout: PATIENCE }, async () => {
    writeFileSync(join(directory, 'package.json'), '{"private":true,"type":"module"}');
    const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'];
    await execute('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages]);
    for (const name of ['cloud', 'local']) {
      await execute('npx', ['openapi-typescript', `${name}.json`, '-o', `${name}.d.ts`]);
    }
    writeFileSync(join(directory, 'trip.ts'), TYPESCRIPT);
    symlinkSync(join(ROOT, 'node_modules/@types'), join(directory, 'node_modules/@types'));
    const options = ['--target', 'es2022', '--module', 'nodenext', '--strict', '--skipLibCheck', '--types', 'node'];
    await execute(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'trip.ts']);
    const { stdout } = await execute(process.execPath, ['trip.js']);
    expect(stdout).toBe('481920 90 1\n');
  });

  test('in TypeScript, by orval', { timeout: PATIENCE }, async () => {
    const home = join(directory, 'orval');
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}');
    const inHome = (file: string, args: string[]) => run(file, args, { cwd: home, env: environment });
    await inHome('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', 'orval@7.13.2']);
    for (const name of ['cloud', 'local']) {
      await inHome('npx', ['orval', '--input', `../${name}.json`, '--output', `${name}.ts`, '--client', 'fetch']);
    }
    writeFileSync(join(home, 'trip.ts'), ORVAL);
    const options = ['--target', 'es2022', '--module', 'nodenext', '--strict', '--skipLibCheck', '--types', 'node'];
    const libraries = ['--lib', 'es2022,dom', '--typeRoots', join(ROOT, 'node_modules/@types')];
    await inHome(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      ...options,
      ...libraries,
      'trip.ts',
    ]);
    const { stdout } = await inHome(process.execPath, ['trip.js']);
    expect(stdout).toBe('481920 90 1\n');
  });

  test('in Python, by openapi-python-client', { timeout: PATIENCE }, async ({ skip }) => {
    const venv = join(directory, 'venv');
    const isThere = await execute('python3', ['-m', 'venv', venv]).then(
      () => true,
      () => false,
    );
    if (!isThere) skip('python3 with venv is not installed here');
    await execute(join(venv, 'bin/pip'), [
      'install',
      '-q',
      '--disable-pip-version-check',
      'openapi-python-client==0.29.1',
    ]);
    for (const name of ['cloud', 'local']) {
      const to = ['--path', `${name}.json`, '--meta', 'none', '--output-path', `${name}_client`];
      await execute(join(venv, 'bin/openapi-python-client'), ['generate', ...to]);
    }
    writeFileSync(join(directory, 'trip.py'), PYTHON);
    const { stdout } = await execute(join(venv, 'bin/python'), ['trip.py']);
    expect(stdout).toBe('481920 90 1\n');
  });
});

const TYPESCRIPT = `
import createClient from 'openapi-fetch';
import type { paths as Cloud } from './cloud.js';
import type { paths as Local } from './local.js';

const baseUrl = process.env.MAILCAP_URL!;
const cloud = createClient<Cloud>({ baseUrl, headers: { Authorization: \`Bearer \${process.env.MAILCAP_API_KEY}\` } });
const local = createClient<Local>({ baseUrl });
const workspaceId = process.env.MAILCAP_WORKSPACE_ID!;
const created = await cloud.POST('/v1/workspaces/{workspaceId}/mailboxes', {
  params: { path: { workspaceId } },
  body: { name: 'Generated TypeScript' },
});
const mailboxId = created.data!.id!;
await local.POST('/_mailcap/mailboxes/{id}/messages', {
  params: { path: { id: mailboxId } },
  headers: { 'Content-Type': 'message/rfc822' },
  body: 'Subject: Code\\r\\n\\r\\nYour code is 481920.\\r\\n',
  bodySerializer: (body) => body,
});
const awaited = await cloud.GET('/v1/mailboxes/{mailboxId}/messages/await', {
  params: { path: { mailboxId }, query: { subject: 'code', timeout: 5 } },
});
const facts = await local.GET('/_mailcap/messages/{id}', { params: { path: { id: awaited.data!.id! } } });
const refused = await cloud.POST('/v1/workspaces/{workspaceId}/mailboxes', {
  params: { path: { workspaceId } },
  body: { name: 'x', retentionDays: 9_999 },
});
const max = refused.error?.error === 'invalid_retention' ? refused.error.max : null;
const list = await cloud.GET('/v1/mailboxes/{mailboxId}/messages', { params: { path: { mailboxId } } });
console.log(facts.data!.codes[0]!.code, max, list.data!.length);
`;

const ORVAL = `
import * as cloud from './cloud.js';
import * as local from './local.js';

// orval writes the paths alone.
const ask = globalThis.fetch;
const authorization = \`Bearer \${process.env.MAILCAP_API_KEY}\`;
globalThis.fetch = (path, init) =>
  ask(new URL(String(path), process.env.MAILCAP_URL), { ...init, headers: { ...init?.headers, authorization } });
const workspaceId = process.env.MAILCAP_WORKSPACE_ID!;
const created = await cloud.createMailbox(workspaceId, { name: 'Generated by orval' });
if (created.status !== 201) throw new Error('not created');
const id = created.data.id!;
// orval writes every body as JSON, so this one is sent without it.
const raw = 'Subject: Code\\r\\n\\r\\nYour code is 481920.\\r\\n';
await fetch(local.getPutMessageUrl(id), { method: 'POST', headers: { 'Content-Type': 'message/rfc822' }, body: raw });
const awaited = await cloud.awaitMessage(id, { subject: 'code', timeout: 5 });
if (awaited.status !== 200) throw new Error('nothing came');
const facts = await local.getMessageFacts(awaited.data.id!);
if (facts.status !== 200) throw new Error('no facts');
const refused = await cloud.createMailbox(workspaceId, { name: 'x', retentionDays: 9_999 });
const max = refused.status === 400 && refused.data.error === 'invalid_retention' ? refused.data.max : null;
const list = await cloud.listMessages(id);
console.log(facts.data.codes[0]!.code, max, list.status === 200 ? list.data.length : null);
`;

const PYTHON = `
import os
from io import BytesIO
from cloud_client import AuthenticatedClient
from cloud_client.api.mailboxes import create_mailbox
from cloud_client.api.messages import await_message, list_messages
from cloud_client.models import CreateMailboxRequest, Error
from local_client import Client
from local_client.api.local_mailboxes import put_message
from local_client.api.local_messages import get_message_facts
from local_client.types import File

url, workspace = os.environ["MAILCAP_URL"], os.environ["MAILCAP_WORKSPACE_ID"]
cloud = AuthenticatedClient(base_url=url, token=os.environ["MAILCAP_API_KEY"])
local = Client(base_url=url)
mailbox = create_mailbox.sync(workspace, client=cloud, body=CreateMailboxRequest(name="Generated Python"))
raw = BytesIO(b"Subject: Code\\r\\n\\r\\nYour code is 481920.\\r\\n")
put_message.sync(mailbox.id, client=local, body=File(payload=raw))
message = await_message.sync(mailbox.id, client=cloud, subject="code", timeout=5)
facts = get_message_facts.sync(message.id, client=local)
refused = create_mailbox.sync(workspace, client=cloud, body=CreateMailboxRequest(name="x", retention_days=9999))
assert isinstance(refused, Error), refused
print(facts.codes[0].code, refused.max_, len(list_messages.sync(mailbox.id, client=cloud)))
`;
