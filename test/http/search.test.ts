import { describe, expect } from 'vitest';
import { deleteFound } from '../../src/actions/delete-messages.ts';
import { searchMessages } from '../../src/actions/search-messages.ts';
import type { MailboxId } from '../../src/domain/ids.ts';
import { parseQuery } from '../../src/domain/search/query.ts';
import { writeTime } from '../../src/domain/time.ts';
import { FeedClient } from '../support/feed-client.ts';
import { listedTexts, type TextState } from '../support/listed-texts.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';
import { addWorkspace, json, mail, outcome, put, putMail, type Summary } from './support.ts';

/** The ending of a request whose client stays. */
const cancelSignal = { isCancelled: false, onCancel: () => () => {} };

interface Page {
  readonly items: readonly (Summary & { readonly mailboxId: string; readonly workspaceId: string })[];
  readonly total: number | null;
  readonly complete: boolean;
  readonly next: string | null;
}

function pathOf(mailboxId: string | null, query: Readonly<Record<string, string>>): string {
  const of = mailboxId === null ? '' : `/mailboxes/${mailboxId}`;
  return `/_mailcap${of}/messages?${new URLSearchParams(query)}`;
}

function find(server: TestServer, mailboxId: string | null, query: string, more = {}): Promise<Page> {
  return json<Page>(server.api(pathOf(mailboxId, { query, ...more })));
}

async function subjects(server: TestServer, mailboxId: string | null, query: string): Promise<(string | null)[]> {
  return (await find(server, mailboxId, query)).items.map(({ subject }) => subject);
}

test('search words look in their fields, in decoded text and in any case', async ({ mailcap, mailbox }) => {
  const qp = { 'Content-Transfer-Encoding': 'quoted-printable' };
  await putMail(mailcap, mailbox.id, {
    Subject: 'A',
    From: '=?utf-8?q?Gr=C3=BC=C3=9Fe?= <one@x.test>',
    Cc: 'carl@x.test',
  });
  await putMail(mailcap, mailbox.id, { Subject: 'B', 'Message-ID': '<Order.7@x.test>', 'Reply-To': 'help@x.test' });
  const html = { 'Content-Type': 'text/html; charset=utf-8', ...qp };
  await putMail(
    mailcap,
    mailbox.id,
    { Subject: 'C', ...html },
    '<style>.hid{}</style><p>Hello A=\r\nda</p><p>Ben &amp; J=C3=A9r<b>ome</b></p>',
  );
  await putMail(mailcap, mailbox.id, { Subject: 'D', Bcc: 'secret@x.test' }, 'Your code is\r\n  481516.');
  const parts = 'multipart/mixed; boundary=b';
  const file =
    '--b\r\n\r\ntext\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="Invoice 7.pdf"\r\n\r\nx\r\n--b--';
  await putMail(mailcap, mailbox.id, { Subject: 'E', 'Content-Type': parts }, file);
  const cases: Record<string, string> = {
    'from:grüße': 'A',
    'cc:CARL': 'A',
    'addressed:carl': 'A',
    'reply-to:help': 'B',
    'addressed:help': 'B',
    'message-id:order.7@': 'B',
    'is:html': 'C',
    'body:"ben & jérome"': 'C',
    '"hello ada ben"': 'C',
    'body:hid': '',
    'body:style': '',
    'bcc:secret': 'D',
    'has:code': 'D',
    '"your code is 481516"': 'D',
    'has:attachment': 'E',
    'invoice -body:invoice': 'E',
    '-has:code -is:html -has:attachment': 'B A',
    'larger:100000': '',
    'smaller:100k after:2020-01-01': 'E D C B A',
    'before:2020-01-01': '',
    nowhere: '',
  };
  for (const [query, found] of Object.entries(cases))
    expect((await subjects(mailcap, mailbox.id, query)).join(' '), query).toBe(found);
});

test('after includes the given time, before excludes it', async ({ mailcap, mailbox }) => {
  const { id, receivedAt } = await putMail(mailcap, mailbox.id);
  expect(await find(mailcap, mailbox.id, `after:${receivedAt}`)).toMatchObject({ items: [{ id }], total: 1 });
  expect(await find(mailcap, mailbox.id, `before:${receivedAt}`)).toMatchObject({ items: [], total: 0 });
  const later = writeTime(Date.parse(receivedAt) + 1);
  expect(await find(mailcap, mailbox.id, `before:${later} !after:${later}`)).toMatchObject({ total: 1 });
});

test('1h, yesterday and days of the week go by the clock of the workspace, in searches, waits and deletions', async ({
  mailcap,
}) => {
  const other = await addWorkspace(mailcap);
  const path = `/v1/workspaces/${other.id}/mailboxes`;
  const box = await json<{ id: string }>(mailcap.api(path, { json: { name: 'Timed' }, headers: other.headers }));
  const clock = (now: string) =>
    mailcap.api(`/_mailcap/workspaces/${other.id}/clock`, { method: 'PUT', json: { now } });
  const at = async (now: string, subject: string) => {
    await clock(now);
    await putMail(mailcap, box.id, { Subject: subject });
  };
  // A Thursday and a Friday.
  await at('2026-11-19T23:30:00Z', 'late');
  await at('2026-11-20T14:00:00Z', 'noon');
  await at('2026-11-20T15:00:00Z', 'now');
  await clock('2026-11-20T15:10:00Z');
  const cases: Record<string, string> = {
    'after:1h': 'now',
    'after:90m': 'now noon',
    'before:1h': 'noon late',
    'after:today': 'now noon',
    'before:today': 'late',
    'after:yesterday': 'now noon late',
    'before:yesterday': '',
    'after:friday': 'now noon',
    'after:thursday before:friday': 'late',
    '!after:1h': 'noon late',
  };
  for (const [query, found] of Object.entries(cases)) {
    expect((await subjects(mailcap, box.id, query)).join(' '), query).toBe(found);
    const inWorkspace = await find(mailcap, null, query, { workspaceId: other.id });
    expect(inWorkspace.items.map(({ subject }) => subject).join(' '), query).toBe(found);
  }
  const wait = (query: string) =>
    outcome(
      mailcap.api(
        `/_mailcap/mailboxes/${box.id}/await?${new URLSearchParams({ query, timeout: '1', since: '2026-11-01T00:00:00Z' })}`,
      ),
    );
  expect(await wait('before:today')).toMatchObject({ status: 200, body: { subject: 'late' } });
  expect(await wait('after:1m')).toMatchObject({ status: 204 });
  const asked = { method: 'DELETE' };
  expect(await outcome(mailcap.api(pathOf(box.id, { query: 'before:1h' }), asked))).toMatchObject({
    body: { deleted: 2 },
  });
  expect(await subjects(mailcap, box.id, '')).toEqual(['now']);
});

test('with total=0 a page comes without the count, also further back, and the words decide its size', async ({
  mailcap,
  mailbox,
}) => {
  for (let number = 1; number <= 7; number++)
    await putMail(mailcap, mailbox.id, { Subject: `S${number}` }, `common ${number % 2 === 0 ? 'even' : 'odd'}`);
  const page = async (query: string, more: Record<string, string> = {}) => {
    const { items, ...rest } = await find(mailcap, mailbox.id, query, { total: '0', limit: '3', ...more });
    return { ...rest, subjects: items.map(({ subject }) => subject).join(' ') };
  };
  const first = await page('body:common');
  expect(first).toMatchObject({ subjects: 'S7 S6 S5', total: null, complete: true });
  const second = await page('body:common', { before: first.next ?? '' });
  expect(second).toMatchObject({ subjects: 'S4 S3 S2', total: null, complete: true });
  const last = { subjects: 'S1', total: null, complete: true, next: null };
  expect(await page('body:common', { before: second.next ?? '' })).toEqual(last);
  expect(await page('body:even')).toEqual({ subjects: 'S6 S4 S2', total: null, complete: true, next: null });
  expect(await page('common subject:s7')).toMatchObject({ subjects: 'S7', next: null });
  expect(await page('body:nowhere')).toEqual({ subjects: '', total: null, complete: true, next: null });
  expect(await page('')).toMatchObject({ subjects: 'S7 S6 S5', total: null });
  expect(await find(mailcap, mailbox.id, 'body:common', { total: '1' })).toMatchObject({ total: 7 });
  const refused = { status: 400, body: { error: 'invalid_total' } };
  expect(await outcome(mailcap.api(pathOf(mailbox.id, { query: 'x', total: 'none' })))).toEqual(refused);
});

test('a query that is still typed leaves out its half-typed words, and one that is sent does not', async ({
  mailcap,
  mailbox,
}) => {
  await putMail(mailcap, mailbox.id, { Subject: 'typed', From: 'ada@x.test' });
  await putMail(mailcap, mailbox.id, { Subject: 'other', From: 'bob@x.test' });
  const cases: Record<string, string> = {
    'subject:': 'other typed',
    'subject:"': 'other typed',
    'subject:"typ': 'typed',
    'subject:"typed" fr': '',
    'subject:"typed" from:': 'typed',
    'from:ada has:': 'typed',
    'from:ada after:2': 'typed',
    '!from:ada -': 'other',
  };
  for (const [query, found] of Object.entries(cases)) {
    const { items } = await find(mailcap, mailbox.id, query, { partial: '1' });
    expect(items.map(({ subject }) => subject).join(' '), query).toBe(found);
  }
  for (const query of ['from:', 'a "b', 'has:'])
    expect(await outcome(mailcap.api(pathOf(mailbox.id, { query })))).toMatchObject({
      status: 400,
      body: { error: 'invalid_query' },
    });
  const wrong = mailcap.api(pathOf(mailbox.id, { query: 'form:ada', partial: '1' }));
  expect(await outcome(wrong)).toMatchObject({ status: 400, body: { error: 'invalid_query', position: 0 } });
  expect(await outcome(mailcap.api(pathOf(null, { partial: 'x' })))).toEqual({
    status: 400,
    body: { error: 'invalid_partial' },
  });
});

test('matches=1 tells where each word was found, and without it no mail is read for that', async ({
  mailcap,
  mailbox,
}) => {
  const html = { 'Content-Type': 'text/html; charset=utf-8' };
  await putMail(mailcap, mailbox.id, { Subject: 'Your ORDER', 'X-Campaign': 'spring' }, 'Thank you.');
  await putMail(
    mailcap,
    mailbox.id,
    { Subject: '=?utf-8?q?Stra=C3=9Fe?=', ...html },
    '<p>Please pay the <b>Ord</b>er &amp; more.</p><script>order</script>',
  );
  const matchesOf = async (query: string) =>
    (await find(mailcap, mailbox.id, query, { matches: '1' })).items.map((item) =>
      'matches' in item ? item.matches : null,
    );
  expect(await matchesOf('order')).toEqual([
    [{ field: 'body', snippet: 'Please pay the Order & more.', start: 15, length: 5 }],
    [{ field: 'subject', snippet: 'Your ORDER', start: 5, length: 5 }],
  ]);
  expect(await matchesOf('STRASSE order')).toMatchObject([
    [{ field: 'subject', snippet: 'Straße', start: 0, length: 6 }, { field: 'body' }],
  ]);
  expect(await matchesOf('header:x-campaign=spring thank')).toEqual([
    [
      { field: 'header', snippet: 'x-campaign: spring', start: 12, length: 6 },
      { field: 'body', snippet: 'Thank you.', start: 0, length: 5 },
    ],
  ]);
  expect(await matchesOf('!thank is:html')).toEqual([[]]);
  expect((await find(mailcap, mailbox.id, 'order')).items.some((item) => 'matches' in item)).toBe(false);
  expect(await outcome(mailcap.api(pathOf(null, { matches: 'x' })))).toEqual({
    status: 400,
    body: { error: 'invalid_matches' },
  });
});

describe('scopes', () => {
  test('a search covers all workspaces, one of them or a mailbox, and items name their place', async ({
    mailcap,
    mailbox,
  }) => {
    const other = await addWorkspace(mailcap);
    const path = `/v1/workspaces/${other.id}/mailboxes`;
    const box = await json<{ id: string }>(mailcap.api(path, { json: { name: 'Scoped' }, headers: other.headers }));
    const word = `scope${mailbox.id.slice(-8)}`;
    const here = await putMail(mailcap, mailbox.id, { Subject: word });
    const there = await putMail(mailcap, box.id, { Subject: word });
    const own = { kind: 'email', copyKey: expect.any(String), read: false, starred: false, tags: [] };
    const places = [
      { ...there, ...own, mailboxId: box.id, workspaceId: other.id },
      { ...here, ...own, mailboxId: mailbox.id, workspaceId: mailcap.workspaceId },
    ];
    expect(await find(mailcap, null, word)).toEqual({ items: places, total: 2, complete: true, next: null });
    expect(await find(mailcap, null, word, { workspaceId: other.id })).toMatchObject({ items: [places[0]], total: 1 });
    expect(await find(mailcap, mailbox.id, word)).toMatchObject({ items: [places[1]], total: 1 });
    const elsewhere = { query: '', workspaceId: other.id };
    expect(await json(mailcap.api(pathOf(null, elsewhere)))).toMatchObject({ total: 1 });
  });

  test.for([
    ['GET', '/_mailcap/messages?workspaceId=x', 400, 'invalid_workspace_id'],
    ['GET', '/_mailcap/messages?limit=x', 400, 'invalid_limit'],
    ['GET', '/_mailcap/messages?before=x', 400, 'invalid_before'],
    ['GET', '/_mailcap/mailboxes/01KAH7R6N3C6PMX5S7HAJ4VQ8D/messages?query=x', 404, 'not_found'],
    ['DELETE', '/_mailcap/mailboxes/01KAH7R6N3C6PMX5S7HAJ4VQ8D/messages?query=x', 404, 'not_found'],
    ['DELETE', '/_mailcap/messages?query=x&workspaceId=1', 400, 'invalid_workspace_id'],
  ] as const)('%s %s is %i %s', async ([method, path, status, error], { mailcap }) => {
    expect(await outcome(mailcap.api(path, { method }))).toEqual({ status, body: { error } });
  });
});

describe('pages', () => {
  test('are stable while mail comes in: no item is repeated or missing, and the total grows', async ({
    mailcap,
    mailbox,
  }) => {
    const sent: string[] = [];
    const send = async () => void sent.unshift((await putMail(mailcap, mailbox.id, { Subject: 'paged' }, 'needle')).id);
    for (let i = 0; i < 7; i++) await send();
    for (const query of ['subject:paged', 'body:needle', '']) {
      const before = [...sent];
      const seen: string[] = [];
      let next: string | null = null;
      do {
        const page: Page = await find(mailcap, mailbox.id, query, {
          limit: '3',
          ...(next === null ? {} : { before: next }),
        });
        expect(page).toMatchObject({ total: sent.length, complete: true });
        seen.push(...page.items.map(({ id }) => id));
        next = page.next;
        await send();
      } while (next !== null);
      expect(seen, query).toEqual(before);
    }
  });

  test('a mail is gone from items and total the moment it expires', async ({ mailcap, mailbox }) => {
    await putMail(mailcap, mailbox.id, { Subject: 'expires' });
    const days = mailbox.retentionDays;
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: { offsetSeconds: days * 86_400 + 1 } });
    const kept = await putMail(mailcap, mailbox.id, { Subject: 'expires not' });
    for (const query of ['', 'subject:expires', 'body:hello'])
      expect(await find(mailcap, mailbox.id, query)).toMatchObject({ items: [{ id: kept.id }], total: 1 });
    await mailcap.api('/_mailcap/clock', { method: 'PUT', json: null });
  });

  test('an answer that would have to read too many mails says so, and next continues the search', async () => {
    await using server = await startServer({});
    for (let i = 0; i < 25; i++)
      await putMail(server, server.mailboxId, { Subject: `${i}` }, i % 5 === 0 ? 'needle' : 'hay');
    const scope = { mailboxId: server.mailboxId as MailboxId };
    const query = parseQuery('body:needle');
    const found: string[] = [];
    let before: Parameters<typeof searchMessages>[1]['before'];
    for (let pages = 0; ; pages++) {
      expect(pages).toBeLessThan(5);
      const page = await searchMessages(server.ctx, { scope, query, before, limit: 50, cancelSignal }, 10);
      expect(page.complete).toBe(false);
      found.push(...page.items.map(({ subject }) => `${subject}`));
      expect(page.total).toBeGreaterThanOrEqual(page.items.length);
      if (page.next === null) break;
      before = page.next;
    }
    expect(found).toEqual(['20', '15', '10', '5', '0']);
    expect(await searchMessages(server.ctx, { scope, query, limit: 50, cancelSignal }, 25)).toMatchObject({
      total: 5,
      complete: true,
    });
  });

  test('a list without a query reads the rows of its page and one more, and no others', async () => {
    await using server = await startServer({});
    for (let i = 0; i < 20; i++) await putMail(server, server.mailboxId, { Subject: `${i}` });
    const { ctx } = server;
    let rows = 0;
    const { messages } = ctx.store.read;
    const walk: typeof messages.walk = (query) =>
      messages.walk({
        ...query,
        wanted: (row) => {
          rows++;
          return query.wanted(row);
        },
      });
    const read = { ...ctx.store.read, messages: { ...messages, walk } };
    const watched: typeof ctx.store = Object.create(ctx.store, {
      read: { value: read },
      readNow: { value: () => ctx.store.readNow() },
    });
    const scope = { mailboxId: server.mailboxId as MailboxId };
    const page = await searchMessages({ ...ctx, store: watched }, { scope, query: [], limit: 5, cancelSignal });
    expect(page.items.map(({ subject }) => subject)).toEqual(['19', '18', '17', '16', '15']);
    expect(page.total).toBe(20);
    expect(rows).toBe(6);
  });
});

describe('prepared texts', () => {
  const BODIES = ['needle here', 'hay', 'the NEEDLE', 'hay and needles', 'https://x.test/confirm needle'];
  const QUERIES = [
    'body:needle',
    '!needle',
    'needle subject:1',
    'needle -subject:3',
    'has:link',
    'subject:2',
    'larger:1 needle',
  ];

  /** Starts a server with mails, whose texts are prepared as `stateOf` says. */
  async function prepared(stateOf: (index: number) => TextState, cut: () => number) {
    const server = await startServer({});
    for (let i = 0; i < 40; i++)
      await putMail(server, server.mailboxId, { Subject: `number ${i}` }, BODIES[i % BODIES.length]);
    const texts = await listedTexts(server.ctx, stateOf, cut);
    const store: typeof server.ctx.store = Object.create(server.ctx.store, {
      texts: { value: texts },
    });
    return { server, ctx: { ...server.ctx, store } };
  }

  const scope = {};
  const states: readonly TextState[] = ['sure', 'unsure', 'missing'];

  test('answer like the mails themselves, on every page, wherever stretches end and whatever is missing', async () => {
    let turn = 0;
    const { server, ctx } = await prepared(
      (index) => states[(index * 7 + Math.floor(index / 5)) % 3] ?? 'sure',
      () => 1 + (turn++ % 7),
    );
    await using _server = server;
    for (const words of QUERIES) {
      const query = parseQuery(words);
      for (const limit of [3, 100]) {
        let before: Parameters<typeof searchMessages>[1]['before'];
        do {
          const asked = { scope, query, before, limit, cancelSignal };
          const [mine, walked] = [await searchMessages(ctx, asked), await searchMessages(server.ctx, asked)];
          expect(mine, words).toEqual(walked);
          expect(mine.complete).toBe(true);
          before = mine.next ?? undefined;
        } while (before !== undefined);
      }
    }
  });

  test('are read instead of mails: a search of prepared mail reads none', async () => {
    const { server, ctx } = await prepared(
      () => 'sure',
      () => 9,
    );
    await using _server = server;
    const fresh = { ...ctx, parser: { ...ctx.parser, parse: () => Promise.reject(new Error('a mail was parsed')) } };
    for (const words of QUERIES) {
      const found = await searchMessages(fresh, { scope, query: parseQuery(words), limit: 50, cancelSignal }, 0);
      expect(found.complete, words).toBe(true);
      expect(found.total, words).toBeGreaterThan(0);
    }
  });

  test('a search that could not read all mails without a text says how many there are, and next continues it', async () => {
    const { server, ctx } = await prepared(
      (index) => (index < 25 ? 'missing' : 'sure'),
      () => 9,
    );
    await using _server = server;
    const query = parseQuery('body:needle');
    const found: string[] = [];
    let before: Parameters<typeof searchMessages>[1]['before'];
    for (let pages = 0; pages < 9; pages++) {
      const page = await searchMessages(ctx, { scope, query, before, limit: 50, cancelSignal }, 10);
      expect(page.preparing).toEqual(page.complete ? undefined : { prepared: 15, missing: 25 });
      found.push(...page.items.map(({ id }) => id));
      if (page.next === null) break;
      before = page.next;
    }
    const all = await searchMessages(server.ctx, { scope, query, limit: 50, cancelSignal });
    expect(found).toEqual(all.items.map(({ id }) => id));
  });

  // The deletion goes to either server, and the look inside one does not ask first what the other did.
  unless(test, ofOneServer('a spy on it'))(
    'of messages that were deleted or are elsewhere give nothing, and a deletion finds by them',
    async () => {
      const { server, ctx } = await prepared(
        () => 'sure',
        () => 9,
      );
      await using _server = server;
      const query = parseQuery('body:needle');
      const { items } = await searchMessages(ctx, { scope, query, limit: 3, cancelSignal });
      const [gone] = items;
      await server.api(`/_mailcap/messages/${gone?.id}`, { method: 'DELETE' });
      const left = await searchMessages(ctx, { scope, query, limit: 3, cancelSignal });
      expect(left.items[0]?.id).toBe(items[1]?.id);
      expect(left.total).toBe(31);
      const elsewhere = { mailboxId: '01KAH7R6N3C6PMX5S7HAJ4VQ8D' as MailboxId };
      expect(await searchMessages(ctx, { scope: elsewhere, query, limit: 3, cancelSignal })).toMatchObject({
        total: 0,
      });
      expect(await deleteFound(ctx, scope, query, cancelSignal)).toBe(31);
      expect(await searchMessages(server.ctx, { scope, query, limit: 3, cancelSignal })).toMatchObject({ total: 0 });
    },
  );
});

describe('a query that can’t be read', () => {
  test.for([
    ['"open', 0, 'This quote is not closed.'],
    ['a tag:b,c', 2, 'tag:b,c names no tag; tags have letters, digits, spaces and - _ . @.'],
    ['a foo:bar', 2, 'foo: is no search word. Quotes around it make it a text.'],
    ['subjects:x', 0, 'subjects: is no search word; did you mean subject:? Quotes around it make it a text.'],
    ['x'.repeat(10_240), 2_000, 'The query is longer than 2000 characters.'],
    ['"'.repeat(2_001), 2_000, 'The query is longer than 2000 characters.'],
    ['x '.repeat(60), 100, 'The query has more than 50 words.'],
  ] as const)(
    '%.20s is 400 at %i with a sentence, for GET and DELETE',
    async ([query, position, message], { mailcap, mailbox }) => {
      const refused = { status: 400, body: { error: 'invalid_query', message, position } };
      for (const id of [mailbox.id, null])
        for (const method of ['GET', 'DELETE'])
          expect(await outcome(mailcap.api(pathOf(id, { query }), { method }))).toEqual(refused);
    },
  );

  test.for([
    '(a+)+$',
    '.*',
    '[',
    '\\',
    '%',
    '_',
    '*',
    '\u202egnol',
    'a\u0000b',
    '\u{1f600}',
    '%00',
    "' OR 1=1 --",
    '#{x}',
    '\ud800',
  ])('a word with a meaning elsewhere is a text here: %j', async (text, { mailcap, mailbox }) => {
    await putMail(mailcap, mailbox.id, {}, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
    expect(await find(mailcap, mailbox.id, text)).toMatchObject({ items: [], total: 0 });
  });
});

describe('delete', () => {
  const remove = (server: TestServer, id: string | null, query: string) =>
    outcome(server.api(pathOf(id, { query }), { method: 'DELETE' }));

  test('deletes the messages that match, returns their number, and the feed names them', async ({
    mailcap,
    mailbox,
  }) => {
    const { feedUrl } = await json<{ feedUrl: string }>(mailcap.api('/_mailcap/info'));
    await using feed = await FeedClient.open(feedUrl, `types=message.deleted&mailboxId=${mailbox.id}`);
    const doomed = [
      await putMail(mailcap, mailbox.id, { Subject: 'go now' }),
      await putMail(mailcap, mailbox.id, {}, 'go now'),
    ];
    const kept = await putMail(mailcap, mailbox.id, { Subject: 'stay' });
    expect(await remove(mailcap, mailbox.id, '"go now"')).toEqual({ status: 200, body: { deleted: 2 } });
    expect(await remove(mailcap, mailbox.id, '"go now"')).toEqual({ status: 200, body: { deleted: 0 } });
    expect((await find(mailcap, mailbox.id, '')).items).toMatchObject([{ id: kept.id }]);
    const [event] = await feed.take(1);
    expect(event).toMatchObject({
      type: 'message.deleted',
      data: { mailboxId: mailbox.id, count: 2, reason: 'deleted' },
    });
    const newestFirst = doomed.map(({ id }) => id).reverse();
    expect(event?.data['ids']).toEqual(newestFirst);
  });

  test('in one workspace or in all deletes the messages there alone', async ({ mailcap, mailbox }) => {
    const other = await addWorkspace(mailcap);
    const path = `/v1/workspaces/${other.id}/mailboxes`;
    const box = await json<{ id: string }>(mailcap.api(path, { json: { name: 'Doomed' }, headers: other.headers }));
    for (const id of [box.id, mailbox.id, mailbox.id]) await putMail(mailcap, id, { Subject: 'wide' });
    const wide = `/_mailcap/messages?query=subject:wide`;
    const inOther = mailcap.api(`${wide}&workspaceId=${other.id}`, { method: 'DELETE' });
    expect(await outcome(inOther)).toEqual({ status: 200, body: { deleted: 1 } });
    expect(await remove(mailcap, null, 'subject:wide')).toEqual({ status: 200, body: { deleted: 2 } });
  });

  test('an empty query deletes nothing; without a query a mailbox is cleared, and all mailboxes are not', async ({
    mailcap,
    mailbox,
  }) => {
    const { id } = await putMail(mailcap, mailbox.id);
    const refused = {
      status: 400,
      body: { error: 'invalid_query', message: 'A deletion by search needs a query that is not empty.', position: 0 },
    };
    for (const query of ['', '  ']) {
      expect(await remove(mailcap, mailbox.id, query)).toEqual(refused);
      expect(await remove(mailcap, null, query)).toEqual(refused);
    }
    expect(await outcome(mailcap.api('/_mailcap/messages', { method: 'DELETE' }))).toEqual(refused);
    expect((await find(mailcap, mailbox.id, '')).items).toMatchObject([{ id }]);
    const cleared = mailcap.api(`/_mailcap/mailboxes/${mailbox.id}/messages`, { method: 'DELETE' });
    expect(await outcome(cleared)).toEqual({ status: 204, body: null });
    expect(await find(mailcap, mailbox.id, '')).toMatchObject({ items: [], total: 0 });
  });

  test('two deletions at the same time delete each message once, and report or keep new messages', async ({
    mailcap,
    mailbox,
  }) => {
    for (let i = 0; i < 60; i++) await putMail(mailcap, mailbox.id, { Subject: 'race' }, `body ${i}`);
    const late = put(mailcap, mailbox.id, mail({ Subject: 'race' }, 'body late'));
    const counts = await Promise.all(
      ['subject:race', 'body:body', 'race'].map(async (query) => {
        const { status, body } = await remove(mailcap, mailbox.id, query);
        expect(status).toBe(200);
        return (body as { deleted: number }).deleted;
      }),
    );
    await late;
    const { total } = await find(mailcap, mailbox.id, '');
    expect(counts.reduce((sum, count) => sum + count, 0) + Number(total)).toBe(61);
  });
});
