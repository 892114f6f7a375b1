import { connect } from 'node:net';
import { describe, expect, vi } from 'vitest';
import { writeTime } from '../../src/domain/time.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { IS_NIGHT } from '../support/night.ts';
import { json, outcome, putMail, type Summary } from './support.ts';

function awaiting(server: TestServer, mailboxId: string, query: string, init: RequestInit = {}): Promise<Response> {
  return server.api(`/v1/mailboxes/${mailboxId}/messages/await?${query}`, init);
}

/** Resolves when this many awaits are pending. */
function waiting(server: TestServer, count: number): Promise<void> {
  return vi.waitFor(() => expect(server.ctx.waiters.size).toBe(count), { timeout: 15_000, interval: 5 });
}

describe('await', () => {
  test('answers at once with a message that is there, received within the last five seconds', async ({
    mailcap,
    mailbox,
  }) => {
    const there = await putMail(mailcap, mailbox.id);
    expect(await outcome(awaiting(mailcap, mailbox.id, ''))).toEqual({ status: 200, body: there });
  });

  test('answers with the summary of a message that comes while it waits', async ({ mailcap, mailbox }) => {
    const answer = awaiting(mailcap, mailbox.id, '');
    await waiting(mailcap, 1);
    const arrived = await putMail(mailcap, mailbox.id, { Subject: 'late' });
    expect(await outcome(answer)).toEqual({ status: 200, body: arrived });
    await waiting(mailcap, 0);
  });

  test('returns the newest message if several match already', async ({ mailcap, mailbox }) => {
    await putMail(mailcap, mailbox.id, { Subject: 'code 1' });
    const newest = await putMail(mailcap, mailbox.id, { Subject: 'code 2' });
    await putMail(mailcap, mailbox.id, { Subject: 'other' });
    expect(await json<Summary>(awaiting(mailcap, mailbox.id, 'subject=CODE'))).toEqual(newest);
  });

  test('goes on waiting until a message matches every filter', async ({ mailcap, mailbox }) => {
    const answer = awaiting(mailcap, mailbox.id, 'subject=code&from=shop%40x&to=');
    await waiting(mailcap, 1);
    await putMail(mailcap, mailbox.id, { Subject: 'Code', From: 'else@x.test' });
    await putMail(mailcap, mailbox.id, { Subject: 'Else', From: 'shop@x.test' });
    const match = await putMail(mailcap, mailbox.id, { Subject: 'Your Code', From: 'Shop <SHOP@x.test>' });
    expect(await json<Summary>(answer)).toEqual(match);
  });

  test('is 204 with no body when nothing matched in time', async ({ mailcap, mailbox }) => {
    const started = performance.now();
    const response = await awaiting(mailcap, mailbox.id, 'timeout=1&subject=never');
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(performance.now() - started).toBeGreaterThan(900);
    expect(mailcap.ctx.waiters.size).toBe(0);
  });

  test('since excludes older messages, and defaults to five seconds before the request', async ({
    mailcap,
    mailbox,
  }) => {
    const old = await putMail(mailcap, mailbox.id);
    const receivedAt = Date.parse(old.receivedAt);
    mailcap.ctx.clock.setOffsetMs(6_000);
    expect((await awaiting(mailcap, mailbox.id, 'timeout=1')).status).toBe(204);
    const since = (ms: number) => `timeout=1&since=${encodeURIComponent(writeTime(ms))}`;
    expect((await awaiting(mailcap, mailbox.id, since(receivedAt))).status).toBe(200);
    expect((await awaiting(mailcap, mailbox.id, since(receivedAt + 1))).status).toBe(204);
    // The plus of the offset is not encoded.
    expect((await awaiting(mailcap, mailbox.id, `since=${writeTime(receivedAt)}`)).status).toBe(200);
    mailcap.ctx.clock.setOffsetMs(0);
  });

  test('a since in the future excludes messages that arrive before it', async ({ mailcap, mailbox }) => {
    const answer = awaiting(mailcap, mailbox.id, `timeout=1&since=${encodeURIComponent('2999-01-01T00:00:00Z')}`);
    await waiting(mailcap, 1);
    await putMail(mailcap, mailbox.id);
    expect((await answer).status).toBe(204);
  });

  test.for([
    ['timeout=x', 'invalid_timeout'],
    ['timeout=0.5', 'invalid_timeout'],
    ['since=yesterday', 'invalid_since'],
  ] as const)('%s is 400 %s', async ([query, error], { mailcap, mailbox }) => {
    expect(await outcome(awaiting(mailcap, mailbox.id, query))).toEqual({ status: 400, body: { error } });
  });

  test('a timeout outside its range is clamped', async ({ mailcap, mailbox }) => {
    const low = awaiting(mailcap, mailbox.id, 'timeout=-5&subject=never');
    expect((await low).status).toBe(204);
    await putMail(mailcap, mailbox.id);
    expect((await awaiting(mailcap, mailbox.id, 'timeout=1000000')).status).toBe(200);
  });

  test('a mailbox that is deleted meanwhile is 404, not 204', async ({ mailcap, mailbox }) => {
    const answers = [awaiting(mailcap, mailbox.id, ''), awaiting(mailcap, mailbox.id, 'subject=x')];
    await waiting(mailcap, 2);
    await mailcap.api(`/_mailcap/mailboxes/${mailbox.id}`, { method: 'DELETE' });
    for (const answer of answers) expect(await outcome(answer)).toEqual({ status: 404, body: { error: 'not_found' } });
    await waiting(mailcap, 0);
  });

  test('a client that hangs up frees its waiter at once', async ({ mailcap, mailbox }) => {
    const gone = new AbortController();
    const answer = awaiting(mailcap, mailbox.id, 'timeout=60', { signal: gone.signal });
    await waiting(mailcap, 1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await waiting(mailcap, 0);
  });

  test('a client whose connection breaks frees its waiter', async ({ mailcap, mailbox }) => {
    const { hostname, port } = new URL(mailcap.url);
    const socket = connect(Number(port), hostname);
    const path = `/v1/mailboxes/${mailbox.id}/messages/await?timeout=60`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${mailcap.apiKey}\r\n\r\n`);
    await waiting(mailcap, 1);
    socket.resetAndDestroy();
    await waiting(mailcap, 0);
  });

  test('mail to another mailbox wakes nobody', async ({ mailcap, mailbox }) => {
    const answer = awaiting(mailcap, mailbox.id, 'timeout=1');
    await waiting(mailcap, 1);
    await putMail(mailcap, mailcap.mailboxId);
    expect((await answer).status).toBe(204);
  });
});

test('from the moment the sender has its answer, list, get and await see the message', async ({ mailcap, mailbox }) => {
  for (let i = 0; i < (IS_NIGHT ? 50 : 15); i++) {
    const { id } = await putMail(mailcap, mailbox.id, { Subject: `seen ${i}` });
    const [list, get, found] = await Promise.all([
      json<Summary[]>(mailcap.api(`/v1/mailboxes/${mailbox.id}/messages?limit=1`)),
      mailcap.api(`/v1/mailboxes/${mailbox.id}/messages/${id}`),
      json<Summary>(awaiting(mailcap, mailbox.id, `timeout=1&subject=seen%20${i}`)),
    ]);
    expect([list[0]?.id, get.status, found.id]).toEqual([id, 200, id]);
  }
});

test('no message is missed between the read and the wait', async ({ mailcap, mailbox }) => {
  // The mail comes up to nine turns of the event loop after the request.
  for (let i = 0; i < (IS_NIGHT ? 100 : 30); i++) {
    const answer = awaiting(mailcap, mailbox.id, `timeout=10&subject=race%20${i}.`);
    for (let turn = 0; turn < i % 10; turn++) await new Promise(setImmediate);
    const sent = await putMail(mailcap, mailbox.id, { Subject: `race ${i}.` });
    expect(await json<Summary>(answer)).toEqual(sent);
  }
});

const MANY = IS_NIGHT ? 1_000 : 250;
test(`${MANY} awaits of one mailbox, each with its own filter, each get their own message`, {
  timeout: 180_000,
}, async () => {
  await using server = await startServer();
  const mailbox = await server.addMailbox();
  const answers = Array.from({ length: MANY }, (_, i) =>
    json<Summary>(awaiting(server, mailbox.id, `timeout=60&subject=number%20${i}.`)),
  );
  await waiting(server, MANY);
  const sent: Summary[] = [];
  for (let i = 0; i < MANY; i++) sent.push(await putMail(server, mailbox.id, { Subject: `number ${i}.` }));
  expect(await Promise.all(answers)).toEqual(sent);
  expect(server.ctx.waiters.size).toBe(0);
});

test('a server that closes answers its awaits at once with 503 shutting_down, because 204 means that the time passed', async () => {
  const server = await startServer();
  const mailbox = await server.addMailbox();
  const answers = Array.from({ length: 20 }, () => awaiting(server, mailbox.id, 'timeout=60'));
  await waiting(server, 20);
  const started = performance.now();
  await server.close();
  expect(performance.now() - started).toBeLessThan(30_000);
  for (const answer of answers) {
    const response = await answer;
    expect([response.status, response.headers.get('connection')]).toEqual([503, 'close']);
    expect([response.headers.get('retry-after'), await response.json()]).toEqual(['1', { error: 'shutting_down' }]);
  }
});
