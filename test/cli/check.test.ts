import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { commandLine } from '../support/command.ts';
import { startServer } from '../support/mailcap.ts';

async function bench() {
  const server = await startServer();
  onTestFinished(() => server.close());
  const transport = createTransport({ ...server.smtp, ignoreTLS: true });
  return {
    run: commandLine(server, await temporaryDirectory()),
    send: (text: string, subject = 'Welcome') =>
      transport.sendMail({ from: 'app@shop.example', to: 'ada@inbox.mailcap.example.com', subject, text }),
  };
}

test('messages check prints the findings of the newest message, and ends with 1', async () => {
  const { run, send } = await bench();
  await send('Hello Ada.');
  await send('Hello {{name}}.\nhttp://shop.example/ and http://localhost:1/');
  const { code, stdout, stderr } = await run(['messages', 'check']);
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      'FAIL placeholder:{{name}}',
      '     “{{name}}” in the text part was not replaced by a value.',
      '     text 1:7: {{name}}',
      '     Pass the value to the template, or give it a default.',
      'warn link-http:shop.example',
      '     A link to shop.example uses http.',
      '     text 2:1: http://shop.example/',
      '     Link with https.',
      '',
    ].join('\n'),
  );
  expect(stderr).toMatch(/^mailcap: 2 findings, and 1 note \(--notes\); \d+ clients by caniemail\.com of [\d-]+\.\n$/);
});

test('messages check ends with 0 without an error or warning, and takes an id, rules and clients', async () => {
  const { run, send } = await bench();
  await send('Hello {{name}}.');
  await send('Hello Ada. http://localhost:1/');
  expect(await run(['messages', 'check'])).toMatchObject({ code: 0, stdout: '' });
  expect(await run(['messages', 'check', '2'])).toMatchObject({ code: 1 });
  expect(await run(['messages', 'check', '2', '--allow', 'placeholder'])).toMatchObject({ code: 0 });
  expect(await run(['messages', 'check', '--deny', 'link-localhost'])).toMatchObject({ code: 1 });
  const notes = await run(['messages', 'check', '--notes']);
  expect([notes.code, notes.stdout]).toEqual([0, expect.stringMatching(/^note link-localhost/)]);
  const told = await run(['messages', 'check', '2', '--clients', 'gmail,hey', '--json']);
  expect([told.code, JSON.parse(told.stdout)]).toMatchObject([
    1,
    { passed: false, findings: [{ rule: 'placeholder' }] },
  ]);
  expect(JSON.parse(told.stdout).clients).toHaveLength(5);
});

test('a sentence names an unknown client or rule', async () => {
  const { run, send } = await bench();
  await send('Hello Ada.');
  const client = await run(['messages', 'check', '--clients', 'nobody']);
  expect([client.code, client.stderr]).toEqual([2, expect.stringContaining('there is no such mail client')]);
  const rule = await run(['messages', 'check', '--allow', 'image-altt']);
  expect([rule.code, rule.stderr]).toEqual([2, expect.stringContaining('there is no rule image-altt')]);
});
