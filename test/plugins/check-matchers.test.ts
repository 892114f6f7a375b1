import { createServer } from 'node:http';
import { expect as base, describe, onTestFinished } from 'vitest';
import * as matchers from '../../plugins/shared/check-matchers.ts';
import { toHaveScreenshot } from '../../plugins/shared/no-screenshot.ts';
import type { MailcapMatchers } from '../../plugins/vitest/matchers.ts';
import type { Message } from '../../src/client/index.ts';
import { failure, type Stage, testsOf } from '../client/modes.ts';
import { json, type Summary } from '../http/support.ts';

base.extend({ ...matchers, toHaveScreenshot });
const expect = base as typeof base & ((subject: unknown) => MailcapMatchers & { readonly not: MailcapMatchers });
const test = testsOf('local');

const HEADER = { Date: 'Sun, 22 Nov 2026 10:00:00 +0000', 'Message-ID': '<1@shop.example>', Subject: 'Hello' };

async function messageOf(stage: Stage, header: Record<string, string>, text: string): Promise<Message> {
  const mailbox = await stage.client.mailbox();
  await stage.put(mailbox, { ...HEADER, ...header }, text);
  return mailbox.waitForMessage();
}

describe('toPassEmailChecks', () => {
  test('passes a mail without findings, and fails under not', async ({ stage }) => {
    const message = await messageOf(stage, {}, 'Hello Ada.');
    await expect(message).toPassEmailChecks();
    const { message: said } = await failure(expect(message).not.toPassEmailChecks({ clients: ['gmail'] }));
    base(said).toBe('"Hello" should not pass the checks of 4 clients, but it passes.');
  });

  test('fails with the rule, the place, the reason and the remedy of each finding, and with how to allow it', async ({
    stage,
  }) => {
    const html = '<html lang="en"><title>T</title><p style="display:flex">Hi {{name}}</p></html>';
    const message = await messageOf(stage, { 'Content-Type': 'text/html' }, html);
    const { message: said } = await failure(
      expect(message).toPassEmailChecks({ clients: ['outlook.windows'], allow: ['text-missing'] }),
    );
    base(said.replace(/data of .*/, 'data.')).toBe(
      [
        '"Hello" has 1 error and 1 warning:',
        '',
        '  error placeholder',
        '    “{{name}}” in the text was not replaced by a value.',
        '    html 1:60  {{name}}',
        '    Pass the value to the template, or give it a default.',
        '  warning client-support:css-display-flex',
        '    display:flex is not supported by 1 of 1 client: Outlook (Windows).',
        '    html 1:43  display:flex',
        '    Use a feature that the clients support, or add a fallback.',
        '',
        "Allow a rule with { allow: ['placeholder'] }.",
        'Checked for 1 client, with data.',
      ].join('\n'),
    );
    await expect(message).toPassEmailChecks({
      clients: ['outlook.windows'],
      allow: ['text-missing', 'placeholder', 'client-support:css-display-flex'],
    });
  });

  test('an unknown option, client or rule is refused', async ({ stage }) => {
    const message = await messageOf(stage, {}, 'Hello Ada.');
    const options: object = { client: ['gmail'] };
    base(await failure(expect(message).toPassEmailChecks(options))).toMatchObject({ code: 'invalid_option' });
    base(await failure(expect(message).toPassEmailChecks({ clients: ['nobody'] }))).toMatchObject({
      code: 'invalid_clients',
    });
    base(await failure(expect(message).toPassEmailChecks({ allow: ['nothing'] }))).toMatchObject({
      code: 'invalid_rules',
    });
    base(await failure(expect('x').toPassEmailChecks())).toMatchObject({ code: 'invalid_option' });
  });
});

test('toHaveScreenshot says that it needs Playwright', () => {
  const assertion = base({}) as unknown as { toHaveScreenshot(): void };
  base(() => assertion.toHaveScreenshot()).toThrow(/needs Playwright.*\n?.*mailcap\/playwright/s);
});

test('toFitGmail fails where Gmail clips', async ({ stage }) => {
  const small = await messageOf(stage, { 'Content-Type': 'text/html' }, '<p>Hello.</p>');
  await expect(small).toFitGmail();
  const lines = `<p>${'word '.repeat(15)}</p>\r\n`.repeat(1_300);
  const large = await messageOf(stage, { 'Content-Type': 'text/html' }, lines);
  const { message } = await failure(expect(large).toFitGmail());
  base(message).toMatch(/^Gmail clips "Hello":\n\n {2}warning gmail-clip\n {4}The HTML has 1\d\d,\d{3} bytes/);
});

describe('one click', () => {
  async function site(status: number) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        asked.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
        response.writeHead(status, { Location: '/elsewhere' }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const address = server.address();
    return { asked, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/u?id=1` };
  }
  const POST = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

  test('a message that offers it is unsubscribable, and unsubscribe() POSTs to its address', async ({ stage }) => {
    const { asked, url } = await site(200);
    const message = await messageOf(stage, { 'List-Unsubscribe': `<mailto:a@b.example>, <${url}>`, ...POST }, 'Hello.');
    await expect(message).toBeUnsubscribable();
    base(await message.unsubscribe()).toEqual({ url: new URL(url), status: 200 });
    base(asked).toEqual(['POST /u?id=1 application/x-www-form-urlencoded List-Unsubscribe=One-Click']);
  });

  test('a message without it is not, and nothing is sent', async ({ stage }) => {
    const { asked, url } = await site(200);
    const message = await messageOf(stage, { 'List-Unsubscribe': `<${url}>` }, 'Hello.');
    const { message: said } = await failure(expect(message).toBeUnsubscribable());
    base(said).toContain(
      '"Hello" offers no one-click unsubscribe:\n\n  warning unsubscribe-one-click\n    The mail has no List-Unsubscribe-Post header',
    );
    base(await failure(message.unsubscribe())).toMatchObject({ name: 'ContentError', code: 'no_one_click' });
    const bare = await messageOf(stage, {}, 'Hello.');
    await expect(bare).not.toBeUnsubscribable();
    const { message: why } = await failure(bare.unsubscribe());
    base(why).toContain('List-Unsubscribe is missing, List-Unsubscribe-Post is missing.');
    base(asked).toEqual([]);
  });

  test('a redirect and an error fail', async ({ stage }) => {
    for (const status of [302, 500]) {
      const { asked, url } = await site(status);
      const message = await messageOf(stage, { 'List-Unsubscribe': `<${url}>`, ...POST }, 'Hello.');
      base(await failure(message.unsubscribe())).toMatchObject({
        code: 'unsubscribe_failed',
        message: `"Hello" could not be unsubscribed: ${url} answered ${status}.`,
      });
      base(asked).toHaveLength(1);
    }
  });

  test('the address may not be http on another host', async ({ stage }) => {
    const message = await messageOf(stage, { 'List-Unsubscribe': '<http://10.0.0.1/u>', ...POST }, 'Hello.');
    base(await failure(message.unsubscribe())).toMatchObject({ code: 'no_one_click' });
  });
});

test('the client returns the answer of the local API unchanged', async ({ stage }) => {
  const message = await messageOf(stage, {}, 'Hello {{name}}.');
  const told = await json<Summary>(stage.mailcap.api(`/_mailcap/messages/${message.id}/checks?clients=hey`));
  base(await message.checks({ clients: ['hey'] })).toEqual(told);
});
