import { describe, expect } from 'vitest';
import { failure, type StageTest } from './modes.ts';

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
const SIGN_UP = `
  <style>.x { color: #123456 }</style>
  <p>Your verification code is <b>481516</b>.</p>
  <p><a href="https://shop.x.test/verify?token=a1&amp;user=2">Verify your address</a></p>
  <p><a href="https://shop.x.test/unsubscribe?u=2">Unsubscribe</a></p>`;

/** Tests which codes and links a handle extracts from a mail. It must never return a wrong one silently. */
export function contentSuite(test: StageTest): void {
  describe('codes', () => {
    test('waitForCode gives the code a person sees', async ({ stage, mailbox }) => {
      const waiting = mailbox.waitForCode({ subject: 'sign up' });
      await stage.armed();
      await stage.put(mailbox, { Subject: 'Sign up', ...HTML }, SIGN_UP);
      expect(await waiting).toBe('481516');
    });

    test('a message without a code is another error than no message, and a later wait can still return it', async ({
      stage,
      mailbox,
    }) => {
      expect(await failure(mailbox.waitForCode({}, { timeout: 100 }))).toMatchObject({ code: 'no_message' });
      await stage.put(mailbox, { Subject: 'Welcome' }, 'No digits here, but https://x.test/?id=481516');
      expect(await failure(mailbox.waitForCode())).toMatchObject({ name: 'ContentError', code: 'no_code' });
      expect((await mailbox.waitForMessage()).codes).toEqual([]);
    });

    test('two equal candidates are an error that lists them with reasons; pattern chooses one', async ({
      stage,
      mailbox,
    }) => {
      const text = 'Your verification code is:\r\n\r\n481516\r\n\r\nYour verification code is:\r\n\r\n2342\r\n';
      await stage.put(mailbox, {}, text);
      const error = await failure(mailbox.waitForCode());
      expect(error).toMatchObject({ name: 'AmbiguityError', code: 'several_codes' });
      expect(error.message).toMatch(/481516 \(.+\)\n.*2342 \(.+\)/);
      expect(await mailbox.waitForCode({}, { code: { length: 4 } })).toBe('2342');
    });
  });

  describe('links', () => {
    test('waitForLink gives the link to follow with decoded entities, never the unsubscribe link', async ({
      stage,
      mailbox,
    }) => {
      await stage.put(mailbox, HTML, SIGN_UP);
      const link = await mailbox.waitForLink({}, { link: 'verify' });
      expect(link).toBe('https://shop.x.test/verify?token=a1&user=2');
      const [message] = await mailbox.messages();
      expect(message?.link().href).toBe(link);
      expect(message?.link({ text: 'unsub' }).pathname).toBe('/unsubscribe');
      expect(message?.links.map(({ kind }) => kind)).toEqual(['verify', 'unsubscribe']);
    });

    test('no link or several links of the kind are an error that lists the links', async ({ stage, mailbox }) => {
      const anchors = ['a', 'b'].map((path) => `<a href="https://x.test/${path}">Verify your address</a>`).join(' ');
      await stage.put(mailbox, HTML, anchors);
      const several = await failure(mailbox.waitForLink());
      expect(several).toMatchObject({ name: 'AmbiguityError', code: 'several_links' });
      expect(several.message).toMatch(/https:\/\/x\.test\/a [^\n]*\n.*https:\/\/x\.test\/b/);
      const none = await failure(mailbox.waitForLink({}, { link: { url: '/c' } }));
      expect(none).toMatchObject({ name: 'ContentError', code: 'no_link' });
      expect(none.message).toContain('https://x.test/a');
      expect(await mailbox.waitForLink({}, { link: { url: /b$/ } })).toBe('https://x.test/b');
    });
  });

  test('a message has its parts and, on a local server, its bytes', async ({ stage, mailbox }) => {
    const head = { 'Content-Type': 'application/pdf', 'Content-Disposition': 'attachment; filename="a.pdf"' };
    await stage.put(mailbox, { Subject: 'Parts', 'X-Tag': 'one', ...head }, '%PDF');
    const message = await mailbox.waitForMessage();
    expect(message).toMatchObject({ subject: 'Parts', text: null, html: null, headers: { 'x-tag': 'one' } });
    expect(message.receivedAt).toBeInstanceOf(Date);
    const [attachment] = message.attachments;
    expect(attachment).toMatchObject({ filename: 'a.pdf', contentType: 'application/pdf' });
    if (stage.mode === 'cloud') {
      expect(await failure(message.raw())).toMatchObject({ code: 'local_only' });
    } else {
      expect(new TextDecoder().decode(await message.raw())).toContain('X-Tag: one\r\n');
      expect(new TextDecoder().decode(await attachment?.content())).toContain('%PDF');
    }
  });

  test('an error of a wait, a code or a link points at the line that asked', async ({ stage, mailbox }) => {
    await stage.put(mailbox);
    const message = await mailbox.waitForMessage();
    const inCode = await failure(Promise.resolve().then(() => message.code()));
    const inWait = await failure(mailbox.waitForMessage({}, { timeout: 50 }));
    for (const { stack } of [inCode, inWait]) {
      expect(stack?.split('\n    at ')[1]).toContain('content-suite.ts');
      expect(stack).not.toContain('src/client/');
    }
  });
}
