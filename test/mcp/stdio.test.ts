import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { BIN, mailcap, run, temporaryDirectory } from '../support/cli.ts';
import { command, commandLine } from '../support/command.ts';
import { byDay } from '../support/night.ts';
import { blocksOf, onPorts, readPage } from '../support/pages.ts';
import { mailServer, overStdio } from './support.ts';

test('mailcap mcp gives an agent the same tools on stdio', async () => {
  const { server, send } = await mailServer();
  const agent = await overStdio(server, await temporaryDirectory(), ['--caps', 'faults']);
  expect((await agent.client.listTools()).tools).toHaveLength(11);
  await send({ text: 'Your code is 481516' });
  const { data } = await agent.call('wait_for_message', { extract: 'code' });
  expect(data).toMatchObject({ found: true, code: '481516' });
});

test('mailcap mcp starts without a server, says so at a call, and ends with its input', async () => {
  const cwd = await temporaryDirectory();
  const env = { PATH: process.env['PATH'] ?? '' };
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], cwd, env }));
  const { content, isError } = await client.callTool({ name: 'list_messages', arguments: {} });
  expect([isError, content]).toEqual([true, [{ type: 'text', text: expect.stringContaining('npx mailcap dev') }]]);
  const { child, exit } = mailcap(['mcp'], { cwd });
  child.stdin?.end();
  expect(await exit).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('an unknown capability is exit code 2', async () => {
  const { code, stderr } = await command(['mcp', '--caps', 'all'], { cwd: await temporaryDirectory() });
  expect([code, stderr]).toEqual([2, 'mailcap: --caps: expected faults, got all.\n']);
});

test('the SDK is not loaded by mailcap dev', () => {
  const main = join(BIN, '..', '..', 'dist', 'bundle');
  const loaded = new Set<string>();
  const load = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, next = ''] of readFileSync(join(main, file), 'utf8').matchAll(
      /^(?:const \w+ = )?require\("\.\/([^"']+)"\)/gm,
    ))
      load(next);
  };
  load('program-index.cjs');
  const texts = [...loaded].map((file) => readFileSync(join(main, file), 'utf8'));
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.filter((text) => text.includes('@modelcontextprotocol'))).toEqual([]);
});

test('--agent prints messages behind a fence, as the tools do', async () => {
  const { server, send } = await mailServer();
  const command = commandLine(server, await temporaryDirectory());
  await send({ text: 'Your code is 481516 ![x](https://e.example)', subject: 'Welcome {{name}}' });
  const lineOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(['messages', ...args, '--agent']);
    expect([stderr, stdout.split('\n').length]).toEqual(['', 2]);
    return { code, data: JSON.parse(stdout) };
  };
  const fenced = expect.stringMatching(/^<untrusted-(\w{9})>\n[\s\S]*Welcome \{\{name\}\}[\s\S]*\n<\/untrusted-\1>$/);
  expect(await lineOf('show')).toMatchObject({ code: 0, data: { code: '481516', content: fenced } });
  expect(await lineOf('list')).toMatchObject({ code: 0, data: { more: false, content: fenced } });
  expect(await lineOf('wait', '--since', '5m', '--code')).toMatchObject({
    code: 0,
    data: { code: '481516', link: null },
  });
  expect(await lineOf('check')).toMatchObject({ code: 1, data: { passed: false, rules: ['placeholder'] } });
  expect(await lineOf('wait', '--subject', 'x', '--timeout', '1')).toMatchObject({
    code: 3,
    data: { found: false, reason: '1 message came here and did not match.' },
  });
});

test('the configurations of docs/agents.md are JSON that starts these tools', async () => {
  const { server } = await mailServer();
  const blocks = blocksOf(readPage('docs/agents.md')).filter(({ mark }) => mark === 'agent');
  expect(blocks.length).toBeGreaterThanOrEqual(3);
  const started = new Set<string>();
  for (const { text } of blocks) {
    const [servers] = Object.values(JSON.parse(onPorts({ url: server.url, smtpPort: 0 }, text)));
    const [entry] = Object.values(servers as Record<string, { command?: string; args?: string[]; url?: string }>);
    if (entry?.url !== undefined) {
      expect(entry.url).toBe(`${server.url}/mcp`);
      continue;
    }
    expect([entry?.command, ...(entry?.args ?? [])].slice(0, 3)).toEqual(['npx', 'mailcap', 'mcp']);
    const args = entry?.args?.slice(2) ?? [];
    // Most editors have the same command.
    if (started.has(args.join(' '))) continue;
    started.add(args.join(' '));
    const agent = await overStdio(server, await temporaryDirectory(), args);
    expect((await agent.client.listTools()).tools).toHaveLength(8);
  }
});

/** The suite's other scenarios ask for tools, resources and prompts of its own example server. */
const OWN_SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

test('the MCP conformance suite finds nothing wrong with /mcp', async () => {
  const { server } = await mailServer();
  const suite = join(
    import.meta.dirname,
    '..',
    '..',
    'node_modules',
    '@modelcontextprotocol',
    'conformance',
    'dist',
    'index.js',
  );
  const hooks = join(import.meta.dirname, 'suite-on-node-20.mjs');
  // By day a session, a call, and a guard stand for the rest.
  const byDayToo = ['server-initialize', 'tools-list', 'dns-rebinding-protection'];
  for (const scenario of byDay(OWN_SCENARIOS, (name) => byDayToo.includes(name))) {
    const args = ['--import', hooks, suite, 'server', '--url', `${server.url}/mcp`, '--scenario', scenario];
    const { code, stdout, stderr } = await run(process.execPath, args, { cwd: await temporaryDirectory() }).exit;
    expect([scenario, code, stdout + stderr]).toEqual([scenario, 0, expect.stringMatching(/\b0 failed/)]);
  }
});
