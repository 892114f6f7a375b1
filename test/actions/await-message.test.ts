import { describe, expect, test } from 'vitest';
import { awaitMessages, type MessagesWait } from '../../src/actions/waits.ts';
import type { Context } from '../../src/context.ts';
import type { MailboxId, MessageId } from '../../src/domain/ids.ts';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import { type Message, parseFilter } from '../../src/domain/message.ts';
import type { CancelSignal } from '../../src/ports/waiting.ts';

// These tests create races by hand: the test decides when reads finish and when messages arrive.

type Arrived = (messages: readonly Message[] | null) => void;

function scene() {
  let arrived: Arrived = () => {};
  let watching = 0;
  const pages: ((page: Message[]) => void)[] = [];
  const timers = new Set<() => void>();
  const parts = {
    clock: {
      now: () => 1_000,
      offsetMs: () => 0,
      onShift: () => () => {},
      after: (_ms: number, act: () => void) => {
        timers.add(act);
        return () => timers.delete(act);
      },
    },
    waiters: {
      watch: async (_id: MailboxId, listener: Arrived) => {
        arrived = listener;
        watching++;
        return () => void watching--;
      },
    },
    store: {
      onCommit: () => () => {},
      read: {
        workspaces: { get: async () => null },
        messages: { page: () => new Promise<Message[]>((resolve) => pages.push(resolve)) },
      },
    },
  };
  return {
    // The context holds only the parts that an await uses.
    ctx: parts as unknown as Context,
    arrive: (...messages: Message[]) => arrived(messages),
    vanish: () => arrived(null),
    page: async (...messages: Message[]) => {
      await settled();
      pages.shift()?.(messages);
      await settled();
    },
    timeOut: () => {
      for (const act of [...timers]) act();
    },
    get watching() {
      return watching;
    },
    get timers() {
      return timers.size;
    },
  };
}

function cancelSignal() {
  const acts = new Set<() => void>();
  let ended = false;
  const cancelSignal: CancelSignal = {
    get isCancelled() {
      return ended;
    },
    onCancel(act) {
      acts.add(act);
      if (ended) act();
      return () => acts.delete(act);
    },
  };
  const end = () => {
    ended = true;
    for (const act of acts) act();
  };
  return { cancelSignal, end };
}

const settled = () => new Promise(setImmediate);
const MAILBOX = { id: 'M' } as Mailbox;

function message(id: number, subject: string, receivedAt = 1_000): Message {
  return {
    id: String(id) as MessageId,
    subject,
    receivedAt,
    from: null,
    to: null,
    cc: null,
    mailFrom: '',
    rcptTo: [],
  } as unknown as Message;
}

function request(subject = '', more: Partial<MessagesWait> = {}): MessagesWait {
  return {
    filter: parseFilter({ subject }),
    count: 1,
    since: 0,
    timeoutMs: 1,
    cancelSignal: cancelSignal().cancelSignal,
    ...more,
  };
}

async function awaitOne(ctx: Context, mailbox: Mailbox, wait: MessagesWait): Promise<Message | null> {
  return (await awaitMessages(ctx, mailbox, wait))?.[0] ?? null;
}

describe('while it reads', () => {
  test('a message that comes is not lost', async () => {
    const s = scene();
    const answer = awaitOne(s.ctx, MAILBOX, request('x'));
    await settled();
    s.arrive(message(5, 'x'));
    await s.page();
    expect((await answer)?.id).toBe('5');
    expect([s.watching, s.timers]).toEqual([0, 0]);
  });

  test('the newest of what is there and what comes wins', async () => {
    const s = scene();
    const answer = awaitOne(s.ctx, MAILBOX, request('x'));
    await settled();
    s.arrive(message(5, 'x'), message(6, 'x'), message(7, 'y'));
    await s.page(message(4, 'x'));
    expect((await answer)?.id).toBe('6');
  });

  test('a message that is both there and told late does not hide a newer one', async () => {
    const s = scene();
    const answer = awaitOne(s.ctx, MAILBOX, request('x'));
    await settled();
    s.arrive(message(3, 'x'));
    await s.page(message(4, 'x'), message(3, 'x'));
    expect((await answer)?.id).toBe('4');
  });

  test('the answer is not_found if the mailbox is deleted', async () => {
    const s = scene();
    const answer = awaitOne(s.ctx, MAILBOX, request('x'));
    await settled();
    s.vanish();
    const refused = expect(answer).rejects.toMatchObject({ code: 'not_found' });
    await s.page();
    await refused;
    expect(s.watching).toBe(0);
  });

  test('a client that hangs up ends the await', async () => {
    const s = scene();
    const gone = cancelSignal();
    const answer = awaitOne(s.ctx, MAILBOX, request('x', { cancelSignal: gone.cancelSignal }));
    await settled();
    gone.end();
    await s.page();
    expect(await answer).toBeNull();
    expect([s.watching, s.timers]).toEqual([0, 0]);
  });
});

describe('while it waits', () => {
  test('of several new messages the newest that matches is returned', async () => {
    const s = scene();
    const answer = awaitOne(s.ctx, MAILBOX, request('x'));
    await s.page();
    s.arrive(message(1, 'y'));
    s.arrive(message(2, 'x'), message(3, 'x'), message(4, 'y'));
    expect((await answer)?.id).toBe('3');
    expect([s.watching, s.timers]).toEqual([0, 0]);
  });

  test('what was received before since is not eligible', async () => {
    const s = scene();
    const answer = awaitOne(s.ctx, MAILBOX, request('', { since: 2_000 }));
    await s.page();
    s.arrive(message(1, 'a', 1_999));
    s.arrive(message(2, 'a', 2_000));
    expect((await answer)?.id).toBe('2');
  });

  test('the answer is null if the time runs out', async () => {
    const s = scene();
    const answer = awaitOne(s.ctx, MAILBOX, request());
    await s.page();
    s.timeOut();
    expect(await answer).toBeNull();
    expect([s.watching, s.timers]).toEqual([0, 0]);
  });

  test('a client that hangs up frees waiter and timer', async () => {
    const s = scene();
    const gone = cancelSignal();
    const answer = awaitOne(s.ctx, MAILBOX, request('', { cancelSignal: gone.cancelSignal }));
    await s.page();
    expect([s.watching, s.timers]).toEqual([1, 1]);
    gone.end();
    expect(await answer).toBeNull();
    expect([s.watching, s.timers]).toEqual([0, 0]);
  });
});

test('a mailbox of many pages is read through to the oldest that is eligible', async () => {
  const s = scene();
  const answer = awaitOne(s.ctx, MAILBOX, request('needle'));
  const page = (from: number) => Array.from({ length: 500 }, (_, i) => message(from - i, 'hay'));
  await s.page(...page(9_000));
  await s.page(...page(8_500));
  await s.page(message(10, 'needle'));
  expect((await answer)?.id).toBe('10');
});

test('a client that left before its await began is not waited for', async () => {
  const ended = cancelSignal();
  ended.end();
  const s = scene();
  expect(await awaitOne(s.ctx, MAILBOX, request('', { cancelSignal: ended.cancelSignal }))).toBeNull();
  expect(s.watching).toBe(0);
});
