import { describe, expect } from 'vitest';
import { failure, type StageTest } from './modes.ts';

const ABSENT = { timeout: 300 };

/** Tests mailbox handles in both modes: the rules that prevent flaky mail tests. */
export function mailboxSuite(test: StageTest): void {
  describe('a cursor, not a clock', () => {
    test('a message that came between the creation of the handle and the wait is returned', async ({
      stage,
      mailbox,
    }) => {
      const { id } = await stage.put(mailbox, { Subject: 'Welcome' });
      expect(await mailbox.waitForMessage()).toMatchObject({ id, subject: 'Welcome' });
    });

    test('a message that comes during the wait is returned', async ({ stage, mailbox }) => {
      const waiting = mailbox.waitForMessage({ subject: 'welcome' });
      await stage.armed();
      const { id } = await stage.put(mailbox, { Subject: 'Welcome' });
      expect(await waiting).toMatchObject({ id });
    });

    test('a message from before the creation of the handle is not returned', async ({ stage, mailbox }) => {
      await stage.put(mailbox);
      const later = await stage.client.mailbox(mailbox.id);
      await expect(later.waitForMessage({}, ABSENT)).rejects.toMatchObject({ code: 'no_message' });
      const { id } = await stage.put(mailbox);
      expect(await later.waitForMessage()).toMatchObject({ id });
    });

    test('a message that a wait returned is not returned again; one that did not match may be', async ({
      stage,
      mailbox,
    }) => {
      const welcome = await stage.put(mailbox, { Subject: 'Welcome' });
      const code = await stage.put(mailbox, { Subject: 'Your code' });
      expect(await mailbox.waitForMessage({ subject: 'code' })).toMatchObject({ id: code.id });
      const again = mailbox.waitForMessage({ subject: 'code' });
      await stage.armed();
      const second = await stage.put(mailbox, { Subject: 'Your code, again' });
      expect(await again).toMatchObject({ id: second.id });
      expect(await mailbox.waitForMessage()).toMatchObject({ id: welcome.id });
    });

    test('a wait marks nothing, unless it is told to mark what it returns as read', async ({ stage, mailbox }) => {
      const { put, mailcap, mode } = stage;
      const unread = async () => {
        const answer = await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages?query=is:unread`);
        const { items } = (await answer.json()) as { items: { subject: string; to: string }[] };
        // Mailboxes that are addresses share one on the server.
        return items.filter(({ to }) => to === mailbox.address).map(({ subject }) => subject);
      };
      for (const subject of ['One', 'Two', 'Three', 'Four']) await put(mailbox, { Subject: subject }, 'Code: 481516');
      await put(mailbox, { Subject: 'Link' }, 'Confirm: https://app.test/confirm?token=1');
      await mailbox.waitForMessage({ subject: 'One' }, { markRead: false });
      await mailbox.peek({ subject: 'Two' });
      const all = ['Link', 'Four', 'Three', 'Two', 'One'];
      expect(await unread()).toEqual(all);
      if (mode === 'cloud') {
        for (const wait of [
          mailbox.waitForMessage({ subject: 'Two' }, { markRead: true }),
          mailbox.waitForMessages(1, {}, { markRead: true }),
        ])
          expect(await failure(wait)).toMatchObject({ name: 'LocalOnlyError' });
        return;
      }
      expect(await mailbox.waitForCode({ subject: 'Two' }, { markRead: true })).toBe('481516');
      expect(await unread()).toEqual(['Link', 'Four', 'Three', 'One']);
      await mailbox.waitForLink({ subject: 'Link' }, { markRead: true });
      await mailbox.waitForMessages(2, {}, { markRead: true });
      expect(await unread()).toEqual(['One']);
      expect(await failure(mailbox.peek({}, { markRead: true } as object))).toMatchObject({ name: 'OptionError' });
    });

    test('two waits at the same time never return the same message', async ({ stage, mailbox }) => {
      const waits = [1, 2].map(() => mailbox.waitForMessage({}, { pick: 'oldest' }));
      await stage.armed(2);
      const ids = [await stage.put(mailbox), await stage.put(mailbox)].map(({ id }) => id);
      expect((await Promise.all(waits)).map(({ id }) => id).sort()).toEqual(ids);
    });

    test.for([86_400_000, -86_400_000])('a server whose clock is off by %i ms', async (offsetMs, { stage }) => {
      stage.mailcap.ctx.clock.setOffsetMs(offsetMs);
      const mailbox = await stage.client.mailbox();
      const waiting = mailbox.waitForMessage();
      await stage.armed();
      const { id } = await stage.put(mailbox);
      expect(await waiting).toMatchObject({ id });
      stage.mailcap.ctx.clock.setOffsetMs(0);
    });

    test('a server whose clock is set back during a wait: the message is found before the wait gives up', async ({
      stage,
      mailbox,
    }) => {
      const waiting = mailbox.waitForMessage({}, { timeout: 500 });
      await stage.armed();
      stage.mailcap.ctx.clock.setOffsetMs(-3_600_000);
      const { id } = await stage.put(mailbox);
      stage.mailcap.ctx.clock.setOffsetMs(0);
      expect(await waiting).toMatchObject({ id });
    });
  });

  describe('several messages', () => {
    test('several new matches are an error that lists them', async ({ stage, mailbox }) => {
      await stage.put(mailbox, { Subject: 'Code 1' });
      await stage.put(mailbox, { Subject: 'Code 2' });
      await stage.put(mailbox, { Subject: 'Else' });
      const error = await failure(mailbox.waitForMessage({ subject: 'code' }));
      expect(error).toMatchObject({
        name: 'AmbiguityError',
        code: 'several_messages',
        hint: expect.stringContaining('pick'),
      });
      expect(error.message).toMatch(/"Code 1".*\n.*"Code 2"/);
      expect(error.message).not.toContain('Else');
      expect(await mailbox.waitForMessages(3)).toHaveLength(3);
    });

    test("pick: 'oldest' leaves the newer message for the next wait, pick: 'newest' skips the older one", async ({
      stage,
      mailbox,
    }) => {
      for (const subject of ['1', '2', '3', '4']) await stage.put(mailbox, { Subject: subject });
      expect(await mailbox.waitForMessage({}, { pick: 'oldest' })).toMatchObject({ subject: '1' });
      expect(await mailbox.waitForMessage({}, { pick: 'oldest' })).toMatchObject({ subject: '2' });
      expect(await mailbox.waitForMessage({}, { pick: 'newest' })).toMatchObject({ subject: '4' });
      await expect(mailbox.waitForMessage({}, ABSENT)).rejects.toMatchObject({ code: 'no_message' });
    });

    test('waitForMessages returns the given number in the order of arrival; more messages are an error', async ({
      stage,
      mailbox,
    }) => {
      const waiting = mailbox.waitForMessages(3, { subject: 'part' });
      await stage.armed();
      for (const part of ['1', '2', '3']) await stage.put(mailbox, { Subject: `Part ${part}` });
      expect((await waiting).map(({ subject }) => subject)).toEqual(['Part 1', 'Part 2', 'Part 3']);
      for (const part of ['4', '5', '6']) await stage.put(mailbox, { Subject: `Part ${part}` });
      await expect(mailbox.waitForMessages(2)).rejects.toMatchObject({ code: 'several_messages' });
      const newest = await mailbox.waitForMessages(2, {}, { pick: 'newest' });
      expect(newest.map(({ subject }) => subject)).toEqual(['Part 5', 'Part 6']);
    });
  });

  describe('filters', () => {
    test.for([
      [{ subject: 'your CODE' }],
      [{ subject: /^Your code$/ }],
      [{ subject: /CODE/gi, from: 'shop@' }],
      [{ from: /^Shop/ }],
      [{ to: 'user' }],
      [{ to: /^user/ }],
      [{ body: '481516' }],
      [{ body: /code is \d+/ }],
      [{ where: ({ text }: { text: string | null }) => text?.includes('481516') === true }],
    ])('%o', async ([filter], { stage, mailbox }) => {
      await stage.put(mailbox, { Subject: 'Else', From: 'else@y.test', To: `else@y.test, ${mailbox.addressFor('x')}` });
      const waiting = mailbox.waitForMessage(filter);
      await stage.armed();
      const { id } = await stage.put(mailbox, { Subject: 'Your code' }, 'Your code is 481516.');
      expect(await waiting).toMatchObject({ id });
    });

    test('an unknown filter or option is an error that names it', async ({ mailbox }) => {
      // @ts-expect-error there is no such filter
      await expect(mailbox.waitForMessage({ sender: 'x' })).rejects.toThrow('"sender"');
      // @ts-expect-error there is no such option
      await expect(mailbox.waitForMessage({}, { timeOut: 1 })).rejects.toThrow('"timeOut"');
      // @ts-expect-error it must be one of three
      await expect(mailbox.waitForMessage({}, { pick: 'first' })).rejects.toThrow("'only', 'newest' or 'oldest'");
      // @ts-expect-error it must be told how long
      await expect(mailbox.expectNoMessage({})).rejects.toThrow('the length of the watch in milliseconds');
      await expect(mailbox.waitForMessages(0)).rejects.toMatchObject({ code: 'invalid_option' });
    });

    test('filters and options are never changed', async ({ stage, mailbox }) => {
      const filter = Object.freeze({ subject: Object.freeze(/code/giy) });
      await stage.put(mailbox, { Subject: 'code' });
      await mailbox.waitForMessage(filter, Object.freeze({ timeout: 5_000 }));
      expect(filter.subject.lastIndex).toBe(0);
    });
  });

  describe('no message', () => {
    test('expectNoMessage watches the whole window', async ({ mailbox }) => {
      const started = performance.now();
      await mailbox.expectNoMessage({}, { for: 400 });
      expect(performance.now() - started).toBeGreaterThanOrEqual(400);
    });

    test('a match ends it at once with an error that shows the message; other messages do not', async ({
      stage,
      mailbox,
    }) => {
      const started = performance.now();
      const watching = failure(mailbox.expectNoMessage({ subject: 'code' }, { for: 30_000 }));
      await stage.armed();
      await stage.put(mailbox, { Subject: 'Else' });
      await stage.put(mailbox, { Subject: 'Your code' });
      expect(await watching).toMatchObject({
        name: 'UnexpectedError',
        message: expect.stringContaining('"Your code"'),
      });
      expect(performance.now() - started).toBeLessThan(10_000);
    });

    test('a message that is already there and that no wait has returned counts', async ({ stage, mailbox }) => {
      await stage.put(mailbox);
      await expect(mailbox.expectNoMessage({}, { for: 100 })).rejects.toMatchObject({ code: 'unexpected_message' });
      await mailbox.waitForMessage();
      await mailbox.expectNoMessage({}, { for: 100 });
    });
  });

  describe('a handle', () => {
    test('has its own addresses, and not the mail of another handle', async ({ stage, mailbox }) => {
      const other = await stage.client.mailbox();
      expect(other.address).not.toBe(mailbox.address);
      await stage.put(other, { Subject: 'for the other' });
      await stage.put(mailbox, { Subject: 'for any', To: mailbox.addressFor('Billing') });
      expect(await mailbox.waitForMessage()).toMatchObject({ subject: 'for any' });
      expect((await mailbox.messages()).map(({ subject }) => subject)).toEqual(['for any']);
      expect((await other.messages()).map(({ subject }) => subject)).toEqual(['for the other']);
      expect(() => mailbox.addressFor('no body')).toThrow('is not a valid local part');
    });

    test('has mail to its address with a tag', async ({ stage, mailbox }) => {
      const waiting = mailbox.waitForMessage({ to: '+news@' });
      await stage.armed();
      await stage.put(mailbox, { Subject: 'News', To: mailbox.address.replace('@', '+News@') });
      expect(await waiting).toMatchObject({ subject: 'News' });
    });

    test('sends mail that another handle gets once, and itself does not', async ({ stage, mailbox }) => {
      const other = await stage.client.mailbox();
      const waiting = mailbox.waitForMessage();
      await stage.armed();
      await mailbox.send({ to: other.address, subject: 'Question', textBody: 'Well?' });
      expect(await other.waitForMessage()).toMatchObject({
        subject: 'Question',
        text: expect.stringContaining('Well?'),
      });
      await other.send({ to: mailbox.address, subject: 'Answer', textBody: 'Well.' });
      expect(await waiting).toMatchObject({ subject: 'Answer' });
      expect((await mailbox.messages()).map(({ subject }) => subject)).toEqual(['Answer']);
      await other.expectNoMessage({}, { for: 50 });
      await mailbox.send({ to: mailbox.address, subject: 'Note', textBody: 'To myself.' });
      expect(await mailbox.waitForMessage()).toMatchObject({ subject: 'Note' });
    });

    test('messages() returns all in their order, whether waited for or not; clear() empties it', async ({
      stage,
      mailbox,
    }) => {
      for (const subject of ['1', '2', '3']) await stage.put(mailbox, { Subject: subject });
      await mailbox.waitForMessage({ subject: '2' });
      expect((await mailbox.messages()).map(({ subject }) => subject)).toEqual(['1', '2', '3']);
      expect((await mailbox.messages({ subject: /[13]/ })).map(({ subject }) => subject)).toEqual(['1', '3']);
      await mailbox.clear();
      expect(await mailbox.messages()).toEqual([]);
      await stage.put(mailbox, { Subject: '4' });
      expect(await mailbox.waitForMessage()).toMatchObject({ subject: '4' });
    });

    test('ends with its signal, at once and with the reason', async ({ stage, mailbox }) => {
      const controller = new AbortController();
      const waiting = failure(mailbox.waitForMessage({}, { signal: controller.signal, timeout: 60_000 }));
      await stage.armed();
      controller.abort(new Error('enough'));
      expect(await waiting).toMatchObject({ message: 'enough' });
      expect(await failure(mailbox.expectNoMessage({}, { for: 9_000, signal: controller.signal }))).toMatchObject({
        message: 'enough',
      });
    });
  });
}
