import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createParser } from '../../src/adapters/worker-parser.ts';
import type { MessageId } from '../../src/domain/ids.ts';
import type { Parser } from '../../src/ports/mail.ts';
import type { Log } from '../../src/ports/system.ts';
import { byDay } from '../support/night.ts';
import { longestHold } from '../support/processor-time.ts';

const logged: string[] = [];
const note = (message: string, fields?: unknown) => void logged.push(`${message} ${JSON.stringify(fields)}`);
const log: Log = { error: note, warn: note, info: note, debug: note };

beforeEach(() => {
  logged.length = 0;
});

// The tests share the parser, because a thread of it takes long to start. Each has ids of its own.
const parser = createParser(log);
afterAll(() => parser.close());

/** Creates a parser for one test. */
function ownParser(...bounds: Parameters<typeof createParser> extends [Log, ...infer Rest] ? Rest : never): Parser {
  const own = createParser(log, ...bounds);
  onTestFinished(() => own.close());
  return own;
}

let ids = 0;
// The parser uses an id only as a name.
const newId = () => `message-${++ids}` as MessageId;

/** Returns a read function that counts its calls. */
function reading(text: string | Buffer): { read: () => Promise<Buffer>; reads: number } {
  const raw = Buffer.from(text);
  const counter = {
    reads: 0,
    read: () => {
      counter.reads++;
      return Promise.resolve(raw);
    },
  };
  return counter;
}

function withFile(content: Buffer): string {
  const head = 'Subject: file\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n--b\r\n';
  const file = 'Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n';
  return `${head}${file}${content.toString('base64')}\r\n--b--\r\n`;
}

const SMALL = withFile(Buffer.from('small'));
const CONTENT = Buffer.alloc(300_000, 'large');
const LARGE = withFile(CONTENT);

test.each([
  ['small', SMALL, Buffer.from('small')],
  ['large', LARGE, CONTENT],
])('a %s mail is parsed once however many ask for it and for its attachments', async (_size, text, content) => {
  const id = newId();
  const store = reading(text);
  const [first, second, file] = await Promise.all([
    parser.parse(id, store.read),
    parser.parse(id, store.read),
    parser.attachment(id, 0, store.read),
  ]);
  expect(first).toMatchObject({ subject: 'file', textBody: 'hi', parseError: null });
  expect(second).toBe(first);
  expect(file).toMatchObject({ filename: 'a.pdf', contentType: 'application/pdf' });
  expect(file?.content.equals(content)).toBe(true);
  expect((await parser.attachment(id, 0, store.read))?.content.equals(content)).toBe(true);
  expect(store.reads).toBe(1);
});

test('the bytes of the store are not transferred away', async () => {
  const raw = Buffer.from(LARGE);
  await parser.parse(newId(), () => Promise.resolve(raw));
  expect(raw.toString()).toBe(LARGE);
});

test('headers come back from the thread without a prototype that a mail could set', async () => {
  const { headers } = await parser.parse(newId(), reading(`__proto__: a\r\n${LARGE}`).read);
  expect(Object.hasOwn(headers, '__proto__')).toBe(true);
  expect(Object.getPrototypeOf(headers)).toBeNull();
});

test.each([1, -1, 0.5, Number.NaN])('there is no attachment at %j', async (position) => {
  expect(await parser.attachment(newId(), position, reading(SMALL).read)).toBeNull();
});

test('a message that the cache dropped is read again', async () => {
  const id = newId();
  const store = reading(SMALL);
  await parser.parse(id, store.read);
  parser.forget(id);
  await parser.parse(id, store.read);
  expect(store.reads).toBe(2);
});

test('a message that is dropped during its parse is not cached', async () => {
  const id = newId();
  const store = reading(LARGE);
  const parse = parser.parse(id, store.read);
  parser.forget(id);
  expect((await parse).subject).toBe('file');
  await parser.parse(id, store.read);
  expect(store.reads).toBe(2);
});

test('a read that fails is an error, and the next one is tried', async () => {
  const id = newId();
  await expect(parser.parse(id, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect((await parser.parse(id, reading(SMALL).read)).subject).toBe('file');
});

test('results are kept within a bound', async () => {
  const own = ownParser(undefined, { cacheBytes: 64 * 10_000, waitingBytes: 0, failedMs: 60_000 });
  const content = Buffer.alloc(8 * 10_000);
  const stores = Array.from({ length: 10 }, () => ({ id: newId(), ...reading(withFile(content)) }));
  const readsOf = async (index: number) => {
    const store = stores[index];
    if (store === undefined) throw new Error('no such store');
    let reads = 0;
    await own.parse(store.id, () => {
      reads++;
      return store.read();
    });
    return reads;
  };
  for (let index = 0; index < 10; index++) expect(await readsOf(index)).toBe(1);
  expect(await readsOf(9)).toBe(0);
  expect(await readsOf(0)).toBe(1);
});

const HEAD = 'Subject: hostile\r\n';
const HOSTILE: [string, string, RegExp | null][] = [
  [
    '60,000 parts',
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: a/b\r\n\r\nx\r\n'.repeat(60_000)}`,
    /more than 10000 parts/,
  ],
  [
    '9,000 parts',
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: a/b\r\n\r\nx\r\n'.repeat(9_000)}`,
    null,
  ],
  [
    '3,000 levels',
    HEAD +
      Array.from({ length: 3_000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(
        '',
      ),
    /nested/,
  ],
  ['a header of 3 MB', `${HEAD}X-A: ${'a'.repeat(3_000_000)}\r\n\r\nhi`, /header/],
  ['a header of 900 KB', `${HEAD}To: ${'=?utf-8?Q?a=2Cb?= <a@b.test>, '.repeat(30_000)}\r\n\r\nhi`, /header/],
  ['20 MB of text', `${HEAD}\r\n${'line\r\n'.repeat(3_500_000)}`, null],
  [
    '5 MB of HTML',
    `${HEAD}Content-Type: text/html\r\n\r\n${'<p>&amp;<a href="https://x.test/">'.repeat(150_000)}`,
    null,
  ],
];

// By day one over a limit, and one that is below them.
const BY_DAY = ['60,000 parts', '5 MB of HTML'];
test.each(byDay(HOSTILE, ([what]) => BY_DAY.includes(what)))(
  'while a mail of %s is parsed, other clients are served',
  async (_what, text, why) => {
    const raw = Buffer.from(text);
    const held = longestHold();
    const hostile = parser.parse(newId(), () => Promise.resolve(raw));
    let slowest = 0;
    let over = false;
    const done = hostile.finally(() => {
      over = true;
    });
    do {
      const start = performance.now();
      await parser.parse(newId(), reading(SMALL).read);
      await new Promise(setImmediate);
      slowest = Math.max(slowest, performance.now() - start);
    } while (!over);
    const heldMs = held();
    const { subject, parseError } = await done;
    expect(subject).toBe('hostile');
    if (why === null) expect(parseError).toBeNull();
    else expect(parseError).toMatch(why);
    expect(slowest).toBeLessThan(5_000);
    expect(heldMs).toBeLessThan(200);
  },
);

test('a mail that takes too long is served with what is known, and the next one by another thread', async () => {
  const strict = ownParser({ ms: 1_500, heapMb: 4_000 });
  const slow = await strict.parse(newId(), reading(`Subject: one\r\n\r\n${'line\r\n'.repeat(10_000_000)}`).read);
  expect(slow).toMatchObject({ subject: 'one', textBody: null, parseError: 'Parsing took more than 1.5 seconds.' });
  expect(logged).toHaveLength(1);
  // The new thread has the time to start, which is not the mail's.
  const next = await strict.parse(newId(), reading(`Subject: two\r\n\r\n${'line\r\n'.repeat(20_000)}`).read);
  expect(next).toMatchObject({ subject: 'two', textBody: 'line\n'.repeat(20_000), parseError: null });
});

test('a page that takes too long is not made, and says why', async () => {
  const strict = ownParser({ ms: 300, heapMb: 512 });
  const page = await strict.page({ html: '<style>a{b:url(//x)}'.repeat(700_000), text: null }, {}, []);
  expect(page).toBe('Rendering took more than 0.3 seconds.');
  expect(logged).toEqual([expect.stringContaining('a mail could not be rendered')]);
});

test('a mail that takes too much memory is served with what is known', { timeout: 180_000 }, async () => {
  const strict = ownParser({ ms: 10_000, heapMb: 8 });
  const mail = await strict.parse(newId(), reading(`Subject: one\r\n\r\n${'line\r\n'.repeat(3_500_000)}`).read);
  expect(mail).toMatchObject({ subject: 'one', textBody: null, parseError: expect.stringMatching(/memory/) });
});

test('a parse that failed is not kept for long, because a later one may have more time', {
  timeout: 180_000,
}, async () => {
  const own = ownParser({ ms: 10_000, heapMb: 8 }, { cacheBytes: 64 * 1024 * 1024, waitingBytes: 0, failedMs: 1 });
  const [id, store] = [newId(), reading(`Subject: one\r\n\r\n${'line\r\n'.repeat(3_500_000)}`)];
  expect(await own.parse(id, store.read)).toMatchObject({ textBody: null, parseError: expect.any(String) });
  const small = reading('Subject: one\r\n\r\nline\r\n').read;
  await vi.waitFor(async () =>
    expect(await own.parse(id, small)).toMatchObject({ textBody: 'line\n', parseError: null }),
  );
});

test('mails wait for the thread in turn, even if they are too many for the memory', { timeout: 180_000 }, async () => {
  const content = Buffer.alloc(1024 * 1024, 'x');
  const own = ownParser(undefined, { cacheBytes: 0, waitingBytes: 6 * content.length, failedMs: 60_000 });
  const stores = Array.from({ length: 12 }, () => reading(withFile(content)));
  const mails = await Promise.all(stores.map((store) => own.parse(newId(), store.read)));
  for (const mail of mails) expect(mail.attachments).toMatchObject([{ sizeBytes: content.length }]);
  expect(new Set(stores.map((store) => store.reads))).toEqual(new Set([1, 2]));
});

test('small mails pass large ones, however slow those are', { timeout: 180_000 }, async () => {
  // On a busy machine a large mail may take longer than the time that the server gives it.
  const own = ownParser({ ms: 120_000, heapMb: 512 });
  const done: string[] = [];
  const parse = async (name: string, text: string) => {
    const mail = await own.parse(newId(), reading(`Subject: ${name}\r\n${text}`).read);
    done.push(name);
    return mail;
  };
  const slow = ['a', 'b', 'c'].map((name) => parse(name, `\r\n${'line\r\n'.repeat(1_500_000)}`));
  const small = await parse('small', `\r\n${'line\r\n'.repeat(15_000)}`);
  expect(small).toMatchObject({ subject: 'small', parseError: null });
  // The first one can finish before the thread of the small one starts.
  expect(done.length).toBeLessThanOrEqual(2);
  for (const { parseError, textBody } of await Promise.all(slow)) {
    expect(parseError).toBeNull();
    expect(textBody?.length).toBe(1_500_000 * 5);
  }
});

test('codes and links of a large mail are found in a thread, within their limits', async () => {
  const mail = await parser.parse(newId(), reading(`Subject: a\r\n\r\n${'your code is 481516. '.repeat(30_000)}`).read);
  const { codes, links, findError } = await parser.find(mail);
  expect(codes).toMatchObject([{ code: '481516' }]);
  expect(links).toEqual([]);
  expect(findError).toBe('Codes and links were looked for in the first 512 Ki characters of the text.');
});

test('codes and links of a small mail are those of a large one', async () => {
  const mail = await parser.parse(newId(), reading('Subject: a\r\n\r\nYour code is 481516 http://x.test/verify').read);
  expect(await parser.find(mail)).toMatchObject({
    codes: [{ code: '481516' }],
    links: [{ url: 'http://x.test/verify', kind: 'verify' }],
    findError: null,
  });
});

test('a search for codes that is cut off says so', async () => {
  const own = ownParser();
  const mail = await own.parse(newId(), reading(`Subject: a\r\n\r\n${'your code is 481516. '.repeat(1_000)}`).read);
  const found = own.find(mail);
  await own.close();
  expect(await found).toEqual({
    codes: [],
    refused: [],
    links: [],
    findError: 'The search for codes and links failed. The server is stopping.',
  });
});

test('a server that stops does not wait for a mail', async () => {
  const own = ownParser();
  const parse = own.parse(newId(), reading(HOSTILE[5]?.[1] ?? '').read);
  await new Promise(setImmediate);
  await own.close();
  expect(await parse).toMatchObject({ subject: 'hostile', textBody: null, parseError: 'The server is stopping.' });
});
