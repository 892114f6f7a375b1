import { describe, expect, vi } from 'vitest';
import { putMessage } from '../../src/actions/receive-message.ts';
import { Client, type Reached, test } from './support.ts';

// A mailbox with more messages than this is listed by the first command that needs them.
const MANY = 1_200;
const FLAGS = '\\Answered \\Flagged \\Deleted \\Seen \\Draft';

async function* mail(nth: number): AsyncGenerator<Buffer> {
  yield Buffer.from(`Subject: ${nth}\r\n\r\n`);
}

async function fill({ server, mailbox }: Reached, count: number): Promise<void> {
  const row = await server.ctx.store.read.mailboxes.bySubdomain(mailbox.subdomain);
  if (row === null) throw new Error('the mailbox is missing');
  const put = (_: unknown, nth: number) =>
    putMessage(server.ctx, row, { raw: mail(nth), clientAddress: null, clientPort: null });
  await Promise.all(Array.from({ length: count }, put));
}

describe('a mailbox of many messages', () => {
  test('is opened without a look at them, and told as a small one is', async ({ start }) => {
    const reached = await start();
    await fill(reached, MANY);
    const { messages } = reached.server.ctx.store.read;
    const looks = (['packed', 'walk', 'after', 'many', 'get'] as const).map((name) => vi.spyOn(messages, name));
    const pages = vi.spyOn(messages, 'page');
    const client = await Client.open(reached, false);
    const told = await client.ok('SELECT INBOX');
    for (const look of looks) expect(look).not.toHaveBeenCalled();
    expect(pages.mock.calls.map(([, { kind, limit }]) => [kind, limit])).toEqual([['sms', 1]]);
    expect(told.replace(/UIDVALIDITY \d+/, 'UIDVALIDITY n').split('\r\n')).toEqual([
      `* FLAGS (${FLAGS})`,
      `* ${MANY} EXISTS`,
      `* ${MANY} RECENT`,
      '* OK [UNSEEN 1] the first unread message',
      '* OK [PERMANENTFLAGS (\\Seen \\Flagged \\*)] others last as long as the session',
      `* OK [UIDNEXT ${MANY + 1}] the next UID`,
      '* OK [UIDVALIDITY n] UIDs are valid',
      '',
    ]);
    expect(await client.ok('CLOSE')).toBe('');
    for (const look of looks) expect(look).not.toHaveBeenCalled();
    await client.ok('EXAMINE INBOX');
    expect(await client.ok('FETCH 1,600,* (UID FLAGS)')).toBe(
      [1, 600, MANY].map((number) => `* ${number} FETCH (UID ${number} FLAGS (\\Recent))\r\n`).join(''),
    );
    expect(await client.say(`FETCH ${MANY + 1} UID`)).toMatch(/^x BAD/);
  });

  test('keeps its numbers until the client learns what came and went since it was opened', async ({ start }) => {
    const reached = await start();
    await fill(reached, MANY);
    const client = await Client.open(reached);
    const other = await Client.open(reached);
    await other.ok('STORE 500,700 +FLAGS.SILENT (\\Deleted)');
    await other.ok('EXPUNGE');
    await other.ok('STORE 1 +FLAGS.SILENT (shop)');
    await fill(reached, 1);
    expect(await client.ok('FETCH 499,501,699,701 UID')).toBe(
      `* FLAGS (${FLAGS} shop)\r\n` +
        [499, 501, 699, 701].map((number) => `* ${number} FETCH (UID ${number})\r\n`).join('') +
        `* ${MANY + 1} EXISTS\r\n* ${MANY - 1} RECENT\r\n`,
    );
    expect(await client.say('FETCH 500 (UID FLAGS)')).toBe('x NO [EXPUNGEISSUED] some messages are gone\r\n');
    expect(await client.say('FETCH 700 ENVELOPE')).toBe('x NO [EXPUNGEISSUED] some messages are gone\r\n');
    expect(await client.ok('FETCH 1 FLAGS')).toBe('* 1 FETCH (FLAGS (\\Recent shop))\r\n');
    expect(await client.ok('NOOP')).toBe('* 700 EXPUNGE\r\n* 500 EXPUNGE\r\n');
    expect(await client.ok('FETCH 500,699,* UID')).toBe(
      `* 500 FETCH (UID 501)\r\n* 699 FETCH (UID 701)\r\n* ${MANY - 1} FETCH (UID ${MANY + 1})\r\n`,
    );
  });

  test('that is cleared after it was opened loses all of them, also before mail that came since', async ({ start }) => {
    const reached = await start();
    await fill(reached, MANY);
    const client = await Client.open(reached);
    const row = await reached.server.ctx.store.read.mailboxes.bySubdomain(reached.mailbox.subdomain);
    if (row === null) throw new Error('the mailbox is missing');
    await reached.server.ctx.store.transaction((tx) => tx.messages.removeAll(row.id));
    await fill(reached, 1);
    expect(await client.say('FETCH 1:* (UID FLAGS)')).toBe(
      `* ${MANY + 1} EXISTS\r\n* 1 RECENT\r\nx NO [EXPUNGEISSUED] some messages are gone\r\n`,
    );
    client.wire.write('i IDLE\r\n');
    expect(await client.wire.line()).toBe('+ idling');
    for (let number = MANY; number > 0; number--) expect(await client.wire.line()).toBe(`* ${number} EXPUNGE`);
    client.wire.write('DONE\r\n');
    expect(await client.answer('i')).toBe('i OK done\r\n');
    expect(await client.ok('FETCH 1 UID')).toBe(`* 1 FETCH (UID ${MANY + 1})\r\n`);
  });
});
