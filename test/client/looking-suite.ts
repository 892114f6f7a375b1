import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { failure, type StageTest } from './modes.ts';

const ABSENT = { timeout: 300 };

/** Tests how a handle reads earlier messages, peeks without consuming them, and lists the current ones. */
export function lookingSuite(test: StageTest): void {
  describe('since', () => {
    test('messages from before the handle was created are found, and each is returned once', async ({
      stage,
      mailbox,
    }) => {
      const first = await stage.put(mailbox, { Subject: 'Seeded' });
      const since = new Date(first.receivedAt);
      const later = await stage.client.mailbox(mailbox.id);
      expect(await failure(later.waitForMessage({}, ABSENT))).toMatchObject({ code: 'no_message' });
      const filter = { to: mailbox.address };
      expect(await later.waitForMessage(filter, { since })).toMatchObject({ id: first.id });
      expect(await failure(later.waitForMessage(filter, { since, ...ABSENT }))).toMatchObject({ code: 'no_message' });
      const waiting = later.waitForMessage(filter, { since });
      await stage.armed();
      const second = await stage.put(mailbox, { Subject: 'Since then' });
      expect(await waiting).toMatchObject({ id: second.id });
      expect((await later.messages(filter, { since })).map(({ id }) => id)).toEqual([first.id, second.id]);
    });

    test('messages from before the given time are not found', async ({ stage, mailbox }) => {
      const first = await stage.put(mailbox, { Subject: 'Before' });
      const since = new Date(Date.parse(first.receivedAt) + 1);
      const later = await stage.client.mailbox(mailbox.id);
      const error = await failure(later.waitForMessage({ to: mailbox.address }, { since, ...ABSENT }));
      expect(error).toMatchObject({ code: 'no_message' });
      expect(error.message).not.toContain('Before');
    });

    test("'start of the run' is when this run began", async ({ stage, mailbox }) => {
      const { id } = await stage.put(mailbox, { Subject: 'At the start' });
      const later = await stage.client.mailbox(mailbox.id);
      const options = { since: 'start of the run' } as const;
      expect(await later.waitForMessage({ to: mailbox.address }, options)).toMatchObject({ id });
      // @ts-expect-error it is a Date or the start of the run
      expect(await failure(later.messages({}, { since: 'yesterday' }))).toMatchObject({
        message: 'since must be a Date or \'start of the run\'; it is "yesterday".',
      });
    });

    test('since also finds requests', async ({ stage }) => {
      const webhook = await stage.client.webhook();
      await fetch(webhook.url, { method: 'POST', body: '{"n":1}' });
      const [first] = await webhook.requests();
      const later = await stage.client.webhook(webhook.id);
      expect(await later.requests()).toEqual([]);
      const since = first?.receivedAt;
      expect((await later.waitForRequest({}, { since })).json<{ n: number }>().n).toBe(1);
      const waiting = later.waitForRequest({}, { since });
      await fetch(webhook.url, { method: 'POST', body: '{"n":2}' });
      expect((await waiting).json<{ n: number }>().n).toBe(2);
    });
  });

  describe('peek', () => {
    test('waits for a message, which the next wait returns again', async ({ stage, mailbox }) => {
      const peeking = mailbox.peek({ subject: 'code' });
      await stage.armed();
      const { id } = await stage.put(mailbox, { Subject: 'Your code' });
      expect(await peeking).toMatchObject({ id });
      expect(await mailbox.peek()).toMatchObject({ id });
      expect(await mailbox.waitForMessage()).toMatchObject({ id });
      expect(await failure(mailbox.peek({}, ABSENT))).toMatchObject({ code: 'no_message' });
    });
  });

  describe('messages', () => {
    test('lists what the mailbox has now, without deleted messages', async ({ stage, mailbox }) => {
      await stage.put(mailbox, { Subject: '1' });
      await stage.put(mailbox, { Subject: '2' });
      const [first] = await mailbox.messages();
      if (stage.mode === 'cloud') {
        expect(await failure(first?.delete() ?? Promise.resolve())).toMatchObject({ code: 'local_only' });
        return;
      }
      await first?.delete();
      expect((await mailbox.messages()).map(({ subject }) => subject)).toEqual(['2']);
      expect(await mailbox.waitForMessage()).toMatchObject({ subject: '2' });
      await stage.client.local.clearMailbox(mailbox.id);
      expect(await mailbox.messages()).toEqual([]);
      await stage.put(mailbox, { Subject: '3' });
      expect((await mailbox.messages()).map(({ subject }) => subject)).toEqual(['3']);
    });

    test('is empty after clear, and mail that comes right then is not lost', async ({ stage, mailbox }) => {
      await stage.put(mailbox, { Subject: 'old' });
      const since = new Date(Date.now() - 60_000);
      await mailbox.clear();
      const { id } = await stage.put(mailbox, { Subject: 'new' });
      expect((await mailbox.messages({ to: mailbox.address }, { since })).map((one) => one.id)).toEqual([id]);
      expect(await mailbox.waitForMessage()).toMatchObject({ id });
    });
  });

  describe('addresses', () => {
    test('are parsed: names, groups, several', async ({ stage, mailbox }) => {
      const cc = '"Doe, J." <j@x.test>, Team: a@x.test, B <b@x.test>;';
      await stage.put(mailbox, { From: '=?utf-8?q?J=C3=B6rg?= <joerg@y.test>', Cc: cc, 'Reply-To': 'help@y.test' });
      const message = await mailbox.waitForMessage();
      expect(message.from).toEqual({ name: 'Jörg', address: 'joerg@y.test' });
      expect(`${message.from}`).toBe('Jörg <joerg@y.test>');
      expect(message.to).toEqual([{ name: null, address: mailbox.address }]);
      expect(message.cc.map(({ address }) => address)).toEqual(['j@x.test', 'a@x.test', 'b@x.test']);
      expect(String(message.cc[0])).toBe('"Doe, J." <j@x.test>');
      expect(message.replyTo[0]?.address).toBe('help@y.test');
      expect(message.bcc).toEqual([]);
    });

    test('a filter that is a whole address is that address alone, in any case', async ({ stage, mailbox }) => {
      const big = mailbox.addressFor('bigbob');
      const bob = mailbox.addressFor('bob');
      await stage.put(mailbox, { Subject: 'for big', To: big, From: 'gshop@y.test' });
      expect(await failure(mailbox.waitForMessage({ to: bob }, ABSENT))).toMatchObject({
        message: expect.stringContaining(`refused, to is not "${bob}"`),
      });
      expect(await failure(mailbox.waitForMessage({ from: 'shop@y.test' }, ABSENT))).toMatchObject({
        code: 'no_message',
      });
      const waiting = mailbox.waitForMessage({ to: bob.toUpperCase(), from: 'SHOP@y.test' });
      await stage.armed();
      const { id } = await stage.put(mailbox, { To: `x@y.test, Bob <${bob}>`, From: 'Shop <shop@y.test>' });
      expect(await waiting).toMatchObject({ id });
      expect(await mailbox.waitForMessage({ to: 'bob' })).toMatchObject({ subject: 'for big' });
    });
  });

  test('visibleText is what a person sees of mail that is HTML alone', async ({ stage, mailbox }) => {
    const html = '<style>p{color:red}</style><p>Your order <b>4815</b> has shipped.</p><p hidden>Not this</p>';
    await stage.put(mailbox, { 'Content-Type': 'text/html; charset=utf-8' }, html);
    const message = await mailbox.waitForMessage();
    expect(message).toMatchObject({ text: null, html: expect.stringContaining('4815') });
    expect(message.visibleText.trim()).toBe('Your order 4815 has shipped.');
    await stage.put(mailbox, {}, 'Plain.');
    expect((await mailbox.waitForMessage()).visibleText.trim()).toBe('Plain.');
  });

  test('an attachment is saved under its name, in no other directory, and has a checksum', async ({
    stage,
    mailbox,
  }) => {
    const head = {
      'Content-Type': 'application/pdf',
      'Content-Disposition': 'attachment; filename="../../in/voice.pdf"',
    };
    await stage.put(mailbox, head, '%PDF-1.7');
    const [attachment] = (await mailbox.waitForMessage()).attachments;
    if (attachment === undefined) throw new Error('there is none');
    if (stage.mode === 'cloud') {
      expect(await failure(attachment.saveTo('x/'))).toMatchObject({ code: 'local_only' });
      return;
    }
    const directory = await temporaryDirectory();
    const path = await attachment.saveTo(`${directory}/new/`);
    expect(path).toBe(join(directory, 'new', 'voice.pdf'));
    const bytes = await readFile(path);
    expect(bytes.toString()).toContain('%PDF-1.7');
    expect(await attachment.checksum()).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(await attachment.checksum('SHA-1')).toBe(createHash('sha1').update(bytes).digest('hex'));
    expect(await attachment.saveTo(join(directory, 'as-told.pdf'))).toBe(join(directory, 'as-told.pdf'));
    // The name of a file is the caller's: the file or the link is replaced, and what the link points to stays.
    await writeFile(join(directory, 'theirs'), 'theirs');
    await symlink(join(directory, 'theirs'), join(directory, 'link.pdf'));
    for (const name of ['as-told.pdf', 'link.pdf']) await attachment.saveTo(join(directory, name));
    expect(await readFile(join(directory, 'link.pdf'))).toEqual(bytes);
    expect((await lstat(join(directory, 'link.pdf'))).isFile()).toBe(true);
    // The name in a directory is the sender's: it replaces nothing and follows no link.
    await symlink(join(directory, 'theirs'), join(directory, 'voice.pdf'));
    const saved = [await attachment.saveTo(`${directory}/`), await attachment.saveTo(`${directory}/new/`)];
    expect(saved).toEqual([join(directory, 'voice (2).pdf'), join(directory, 'new', 'voice (2).pdf')]);
    expect(await readFile(join(directory, 'theirs'), 'utf8')).toBe('theirs');
    const atOnce = await Promise.all([1, 2, 3].map(() => attachment.saveTo(join(directory, 'at-once.pdf'))));
    expect(await readFile(atOnce[0] ?? '')).toEqual(bytes);
  });

  test.for([
    ['.npmrc', 'npmrc.txt'],
    ['-rf', 'rf'],
    ['mailcap.config.js', 'mailcap.config.js.txt'],
    ['%E2%80%AEfdp.txt', 'fdp.txt'],
    ['%C3%A9'.repeat(200), 'é'.repeat(100)],
  ] as const)(
    'an attachment with the hostile name %s is saved under a harmless one',
    async (names, { stage, mailbox }) => {
      if (stage.mode === 'cloud') return;
      const [name, safe] = names;
      await stage.put(mailbox, { 'Content-Disposition': `attachment; filename*=utf-8''${name}` }, 'hello');
      const [attachment] = (await mailbox.waitForMessage()).attachments;
      const directory = await temporaryDirectory();
      expect(await attachment?.saveTo(`${directory}/`)).toBe(join(directory, safe));
      expect(await readdir(directory)).toEqual([safe]);
    },
  );

  test('waitForLink gives a URL that fetch and page.goto accept', async ({ stage, mailbox }) => {
    await stage.put(mailbox, {}, `Verify your address: ${stage.mailcap.url}/_mailcap/health?verify=a1b2c3d4e5f6`);
    const link: string = await mailbox.waitForLink();
    expect((await fetch(link)).status).toBe(200);
  });
}
