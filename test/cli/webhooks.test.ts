import { expect, onTestFinished, test } from 'vitest';
import { mailcap, temporaryDirectory } from '../support/cli.ts';
import { commandLine } from '../support/command.ts';
import { startServer } from '../support/mailcap.ts';

test('webhooks: create prints the capture URL; requests, replay and tail', { timeout: 60_000 }, async () => {
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
  expect(listed.stdout).toMatch(new RegExp(`payments +1 +${url.replaceAll('.', '\\.')}`));
  const json = JSON.parse((await run(['webhooks', 'requests', 'payments', '--json'])).stdout);
  expect(json).toMatchObject([{ method: 'PUT', path: '/orders', responseStatus: 202 }]);
  const [{ id }] = json;
  expect((await run(['webhooks', 'requests', 'payments'])).stdout).toMatch(
    new RegExp(`^${id} .* PUT +/orders +2 B +202`, 'm'),
  );
  const replay = await run(['webhooks', 'replay', id]);
  expect(replay).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('400 invalid_forward') });
  expect((await run(['webhooks', 'requests', 'nobody'])).stderr).toContain('nobody: no such interceptor');

  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
  const tail = mailcap(['webhooks', 'tail', 'payments', '--json'], { cwd, env });
  let output = '';
  tail.child.stdout?.on('data', (text) => (output += text));
  // It tells of what comes once it is there.
  const capture = async () => {
    await fetch(`${url}/later`, { method: 'POST' });
    return output;
  };
  await expect.poll(capture, { timeout: 30_000, interval: 500 }).toContain('"POST"');
  expect(JSON.parse(output.split('\n')[0] ?? '')).toMatchObject({ method: 'POST', path: '/later' });
  tail.child.kill('SIGINT');
  expect((await tail.exit).code).toBe(130);
});
