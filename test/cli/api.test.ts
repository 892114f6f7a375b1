import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { CALLED_OPERATIONS } from '../../src/cli/api/called.ts';
import { apiCommands } from '../../src/cli/api/commands.ts';
import { CLIENT_OPTIONS, COMMON_OPTIONS, type Command, optionsOf } from '../../src/cli/command.ts';
import { flagOf } from '../../src/config/options.ts';
import { cloudOperations, localOperations } from '../../src/http/operations.ts';
import { routesOf } from '../../src/http/route.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { type CommandLine, commandLine } from '../support/command.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

async function bench(): Promise<{ server: TestServer; run: CommandLine; cwd: string }> {
  const server = await startServer();
  onTestFinished(() => server.close());
  const cwd = await temporaryDirectory();
  return { server, run: commandLine(server, cwd), cwd };
}

describe('the commands are the operations', () => {
  test('every route but the WebSocket has one, with each of its parameters and fields', () => {
    const routes = [...routesOf(cloudOperations), ...routesOf(localOperations)];
    const names = routes.flatMap(({ about }) => (about?.id === 'followFeed' ? [] : [about?.id]));
    expect(CALLED_OPERATIONS.map(({ name }) => name)).toEqual(names);
    for (const { about, declared } of routes) {
      const options = [...(CALLED_OPERATIONS.find(({ name }) => name === about?.id)?.options.values() ?? [])];
      const namesIn = (asked: string) => options.filter(({ place }) => place === asked).map(({ name }) => name);
      if (about?.id !== 'followFeed') expect(namesIn('query')).toEqual(Object.keys(declared.query ?? {}));
      const shape = declared.body instanceof z.ZodObject ? Object.keys(declared.body.shape) : [];
      if (shape.length > 0) expect(namesIn('body')).toEqual(shape);
      expect(options.map(({ kind }) => kind)).not.toContain(undefined);
    }
  });

  test('no option means two things, and none hides one that every command has', () => {
    const common = Object.keys({ ...CLIENT_OPTIONS, ...COMMON_OPTIONS }).map(flagOf);
    for (const [name, command] of Object.entries<Command>(apiCommands())) {
      const own = Object.keys(command.options ?? {}).map(flagOf);
      expect([name, own.filter((flag) => common.some((one) => one === flag))]).toEqual([name, []]);
      expect([name, new Set(own).size]).toEqual([name, own.length]);
    }
    const sent = optionsOf(apiCommands()['sendWebhook'] as Command);
    expect(Object.keys(sent)).toContain('bodyUrl');
  });
});

test('an operation of the cloud API: fields are options, JSON is --data, and both go together', async () => {
  const { server, run, cwd } = await bench();
  const made = await run(['api', 'createMailbox', '--name', 'Sign up', '--retention-days', '2']);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(made.stdout)).toMatchObject({ subdomain: 'sign-up', retentionDays: 2 });
  // The API's own spelling is taken too.
  const second = await run(['api', 'createMailbox', '--data', '{"name":"B","subdomain":"bee"}', '--retentionDays=1']);
  expect(JSON.parse(second.stdout)).toMatchObject({ name: 'B', subdomain: 'bee', retentionDays: 1 });
  await writeFile(join(cwd, 'body.json'), '\uFEFF{ "name": "From a file" }');
  const third = await run(['api', 'createMailbox', '--data', '@body.json']);
  expect(JSON.parse(third.stdout)).toMatchObject({ subdomain: 'from-a-file' });
  const fourth = await run(['api', 'createMailbox', '--data', '@-'], { stdin: '{ "name": "Piped" }' });
  expect(JSON.parse(fourth.stdout)).toMatchObject({ subdomain: 'piped' });
  const listed = JSON.parse((await run(['api', 'listMailboxes'])).stdout);
  expect(listed.map(({ subdomain }: { subdomain: string }) => subdomain).sort()).toEqual(
    ['bee', 'from-a-file', 'inbox', 'piped', 'sign-up'].sort(),
  );
  expect(await server.ctx.store.read.mailboxes.bySubdomain('bee')).not.toBeNull();
});

test('a mailbox goes by its name, a mail in and its bytes out, and a deletion asks', async () => {
  const { run } = await bench();
  const mail = 'Subject: Hi\r\nTo: ada@example.com\r\n\r\nYour code is 481516.\r\n';
  const put = await run(['api', 'putMessage', 'inbox', '--data', '@-'], { stdin: mail });
  const { id } = JSON.parse(put.stdout);
  expect((await run(['api', 'getRawMessage', id])).stdout).toBe(mail);
  const found = await run(['api', 'searchMessages', 'inbox', '--query', 'has:code', '--limit', '5', '--total']);
  expect(JSON.parse(found.stdout)).toMatchObject({ total: 1 });
  const ofAll = await run(['api', 'searchAllMessages', '--query', 'code', '--mailbox-id', 'inbox']);
  expect(ofAll.stderr).toContain('--mailbox-id: no such option');
  await run(['api', 'markMessage', id, '--read', '--add-tags', 'first,second']);
  expect(JSON.parse((await run(['api', 'getMessageFacts', id])).stdout)).toMatchObject({
    read: true,
    tags: ['first', 'second'],
  });
  await run(['api', 'markMessage', id, '--no-read', '--tags', '["third"]']);
  expect(JSON.parse((await run(['api', 'getMessageFacts', id])).stdout)).toMatchObject({
    read: false,
    tags: ['third'],
  });
  expect(await run(['api', 'deleteMessage', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect((await run(['api', 'getMessageFacts', id])).code).toBe(0);
  expect(await run(['api', 'deleteMessage', id, '--yes'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'mailcap: done.\n',
  });
  expect((await run(['api', 'getMessageFacts', id])).code).toBe(1);
});

test('operations of the local API: a list as a body, the own workspace, a wait that ends without a result', async () => {
  const { server, run } = await bench();
  const fault = JSON.parse((await run(['api', 'addFault', '--stage', 'http', '--action', '{"drop":true}'])).stdout);
  await run(['api', 'removeFault', fault.id, '--yes']);
  expect(await run(['api', 'setFaults', '--data', '[]'])).toMatchObject({ code: 0 });
  expect(await run(['api', 'setFaults'])).toMatchObject({ code: 2, stderr: expect.stringContaining('takes a list') });
  const refused = await run([
    'api',
    'sendWebhook',
    '--body-url',
    'http://127.0.0.1:1/',
    '--scheme',
    'none',
    '--body',
    'x',
  ]);
  expect(JSON.parse(refused.stdout)).toMatchObject({ url: 'http://127.0.0.1:1/', state: 'failed' });
  const keys = JSON.parse((await run(['api', 'listKeys'])).stdout);
  expect(keys).toEqual(JSON.parse((await run(['api', 'listKeys', server.workspaceId])).stdout));
  expect((await run(['api', 'deleteWorkspace', '--yes'])).stderr).toContain('<workspace> is missing');
  const shifted = await run(['api', 'setWorkspaceClock', '--offset-seconds=-60']);
  expect(JSON.parse(shifted.stdout)).toMatchObject({ offsetSeconds: -60 });
  expect(await run(['api', 'awaitMessage', 'inbox', '--timeout', '1', '--subject', 'never'])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: 'mailcap: nothing came in time.\n',
  });
});

test.each([
  [['api', 'listMesages'], 'listMesages: no such operation; did you mean listMessages?'],
  [['api', 'suppression'], 'suppression: no such operation; there are listSuppression, deleteSuppression, '],
  [['api', 'zzz'], '`mailcap api` lists them.'],
  [['api', '--json', 'listMailboxes'], 'the operation comes first, as in `mailcap api listMailboxes --json`'],
  [['api', 'listMessages'], '<mailbox-id> is missing: mailcap api listMessages <mailbox-id>.'],
  [['api', 'listMessages', 'inbox', '--limt', '3'], '--limt: no such option; did you mean --limit?'],
  [['api', 'listMessages', 'inbox', '--limit', 'few'], '--limit: expected a number, got "few".'],
  [['api', 'listMessages', 'inbox', 'more'], 'more: unexpected argument'],
  [['api', 'addFault', '--stage', 'later'], '--stage: expected one of connect, helo'],
  [['api', 'addFault', '--stage', 'rcpt', '--action', '{drop}'], '--action: expected JSON'],
  [['api', 'createMailbox', '--data', '{'], '--data: expected JSON'],
  [['api', 'createMailbox', '--data', '[]', '--name', 'x'], '--data is no object'],
  [['api', 'createMailbox', '--data', '{"nam":"x"}'], 'nam'],
  [['api', 'createMailbox', '--data', '@none.json'], '--data: none.json: there is no such file'],
  [['api', 'putMessage', 'inbox'], 'putMessage takes a mail: give --data @file'],
  [['api', 'awaitClock'], '--until is missing'],
])('mailcap %j is misuse, and says what to do', async (args, said) => {
  const { run } = await bench();
  expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
});

test('a mailbox that there is not is named, with the nearest', async () => {
  const { run } = await bench();
  const { code, stderr } = await run(['api', 'listMessages', 'inbx']);
  expect([code, stderr]).toEqual([1, 'mailcap: inbx: no such mailbox; did you mean inbox?\n']);
});

test('the list names every operation, and the help of one its request, parameters and page', async () => {
  const { run } = await bench();
  const { stdout } = await run(['api']);
  for (const { name, method, path, summary } of CALLED_OPERATIONS)
    expect(stdout).toContain(`${name}\t${method} ${path}\t${summary}\n`);
  expect(JSON.parse((await run(['api', '--json'])).stdout)).toContainEqual({
    name: 'listMessages',
    method: 'GET',
    path: '/v1/mailboxes/{mailboxId}/messages',
    summary: 'List messages, newest first',
    api: 'cloud',
  });
  const help = (await run(['api', 'listMessages', '--help'])).stdout;
  expect(help).toContain('Usage: mailcap api listMessages <mailbox-id> [options]');
  expect(help).toContain('--limit <number>');
  expect(help).toContain('It requests GET /v1/mailboxes/{mailboxId}/messages.');
  expect((await run(['help', 'api', 'listMessages'])).stdout).toBe(help);
});
