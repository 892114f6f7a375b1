import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { mailcap, temporaryDirectory } from '../support/cli.ts';
import { commandLine } from '../support/command.ts';
import { startServer } from '../support/mailcap.ts';
import { startProxy } from '../support/proxy.ts';

test('webhooks: create prints the webhook URL; requests, replay and tail', { timeout: 180_000 }, async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const cwd = await temporaryDirectory();
  const run = commandLine(server, cwd);
  const made = await run(['webhooks', 'create', 'payments', '--status', '202', '--body', 'taken']);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/hooks\/\S+\n$/) });
  const url = made.stdout.trim();
  const answer = await fetch(`${url}/orders?x=1`, { method: 'PUT', body: '{}' });
  expect([answer.status, await answer.text()]).toEqual([202, 'taken']);

  const listed = await run(['webhooks', 'list']);
  expect(listed.stdout).toContain(`\tpayments\t1\t${url}\t`);
  const json = JSON.parse((await run(['webhooks', 'requests', 'payments', '--json'])).stdout);
  expect(json).toMatchObject([{ method: 'PUT', path: '/orders', responseStatus: 202 }]);
  const [{ id }] = json;
  expect((await run(['webhooks', 'requests', 'payments'])).stdout).toMatch(
    new RegExp(`^${id}\t[^\t]+\tPUT\t/orders\t2 B\t202\t`, 'm'),
  );
  for (const named of [['1'], [id.slice(0, 24)], ['1', '--webhook', 'payments']])
    expect((await run(['webhooks', 'show', ...named])).stdout).toMatch(/^PUT \/orders\?x=1\n[\s\S]*\n\{\}\n$/);
  const replay = await run(['webhooks', 'replay', id]);
  expect(replay).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('its webhook has no forward URL'),
  });
  expect(replay.stderr).toContain('--to <url>');
  expect((await run(['webhooks', 'requests', 'nobody'])).stderr).toContain('nobody: no such webhook');

  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
  const tail = mailcap(['webhooks', 'tail', 'payments', '--json'], { cwd, env });
  let output = '';
  tail.child.stdout?.on('data', (text) => (output += text));
  // The tail prints only requests that arrive after it has started.
  const capture = async () => {
    await fetch(`${url}/later`, { method: 'POST' });
    return output;
  };
  await expect.poll(capture, { timeout: 30_000, interval: 500 }).toContain('"POST"');
  expect(JSON.parse(output.split('\n')[0] ?? '')).toMatchObject({ method: 'POST', path: '/later' });
  tail.child.kill('SIGINT');
  expect((await tail.exit).code).toBe(130);
});

test('a request is sent again, byte for byte, to where it never was; a webhook is changed and deleted', async () => {
  const server = await startServer();
  const seen: { method: string; url: string; type: string; bytes: Buffer }[] = [];
  const target = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, type: headers['content-type'] ?? '', bytes: Buffer.concat(chunks) });
      response.writeHead(201).end('thanks');
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    target.close();
    await server.close();
  });
  const address = target.address();
  const to = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const run = commandLine(server, await temporaryDirectory());
  const url = (await run(['webhooks', 'create', 'payments'])).stdout.trim();
  const body = Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0x80]);
  await fetch(`${url}/a%20b?x=1`, { method: 'PATCH', body, headers: { 'content-type': 'application/x-mine' } });

  const again = await run(['webhooks', 'replay', '1', '--to', `${to}/hook`]);
  expect(again).toMatchObject({ code: 0, stdout: `201 from ${to}/hook/a%20b?x=1\nthanks\n` });
  expect(seen).toEqual([{ method: 'PATCH', url: '/hook/a%20b?x=1', type: 'application/x-mine', bytes: body }]);
  const nobody = await run(['webhooks', 'replay', '1', '--to', 'http://127.0.0.1:1']);
  expect(nobody).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('failed: nothing listens there.'),
  });

  const forwarding = await run(['webhooks', 'forward', 'payments', to, '--mode', 'sync']);
  expect(forwarding.stdout).toContain(`${to}, before the answer`);
  expect((await run(['webhooks', 'replay', '1'])).stdout).toBe('delivered 201\n');
  expect((await run(['webhooks', 'forward', 'payments', 'off'])).stdout).toContain('nowhere');
  expect((await run(['webhooks', 'update', 'payments', '--status', '503', '--body', 'no'])).stdout).toContain(
    '503: no',
  );
  expect((await fetch(url)).status).toBe(503);
  const unasked = await run(['webhooks', 'delete', 'payments']);
  expect(unasked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the webhook payments with 2 requests'),
  });
  expect((await run(['webhooks', 'delete', 'payments', '--yes'])).code).toBe(0);
  expect((await fetch(url)).status).toBe(404);
});

test('webhooks tail is told of requests, and looks at the list only then', { timeout: 180_000 }, async () => {
  const { capture, tail, seen } = await tailed();
  await expect.poll(() => seen(/\/requests\/await/), { timeout: 30_000 }).toBe(1);
  expect(seen(/\/v1\/webhooks\/\w{26}\/requests/)).toBe(1);
  await capture();
  await expect.poll(tail, { timeout: 30_000 }).toContain('"/later"');
  expect(seen(/\/v1\/webhooks\/\w{26}\/requests/)).toBe(2);
});

test('webhooks tail looks at the list where it may not wait', { timeout: 180_000 }, async () => {
  const { capture, tail, seen } = await tailed(401);
  await expect.poll(() => seen(/\/requests\/await/), { timeout: 30_000 }).toBe(1);
  await capture();
  await expect.poll(tail, { timeout: 30_000 }).toContain('"/later"');
  expect(seen(/\/requests\/await/)).toBe(1);
});

/** Runs a tail of a webhook and records its requests to the server. `refusal` is the status that answers the await. */
async function tailed(refusal?: number) {
  const server = await startServer();
  const proxy = await startProxy(server.url, ({ path }) =>
    refusal !== undefined && path.includes('/requests/await')
      ? { status: refusal, body: '{"error":"unauthorized"}' }
      : 'passed on',
  );
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]();
    await server.close();
  });
  const cwd = await temporaryDirectory();
  const made = await commandLine(server, cwd)(['webhooks', 'create', 'payments']);
  const env = { MAILCAP_URL: proxy.url, MAILCAP_API_KEY: server.apiKey };
  const { child } = mailcap(['webhooks', 'tail', 'payments', '--json'], { cwd, env });
  let output = '';
  child.stdout?.on('data', (text) => (output += text));
  return {
    capture: () => fetch(`${made.stdout.trim()}/later`, { method: 'POST' }),
    tail: () => output,
    seen: (path: RegExp) => proxy.seen.filter((one) => path.test(one.path)).length,
  };
}
