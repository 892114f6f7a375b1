import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { osc52 } from '../../../src/clipboard.ts';
import { saidSize, saidTime } from '../../../src/text/said.ts';
import { cut, fill, fillRight, markDoubtful, shortUrl, widthOf, wrapText } from '../../../src/text/width.ts';
import { attachmentsIn, saveInDirectory } from '../../../ui/terminal/save-attachment.ts';
import { openBackend } from '../../../ui/terminal/shell/backend.ts';
import { listenToFeed } from '../../../ui/terminal/shell/feed.ts';
import { shellCurl } from '../../../ui/terminal/shell/resources.ts';
import { runInboxEffect } from '../../../ui/terminal/shell/run-effect.ts';
import { joinArrivals } from '../../../ui/terminal/shell/shell.ts';
import { paletteOf } from '../../../ui/terminal/text/style.ts';
import { anyText } from '../../support/any-text.ts';
import { startServer } from '../../support/mailcap.ts';
import { lacking } from '../../support/programs.ts';
import { unless } from '../../support/unless.ts';

const NOW = new Date(2026, 10, 21, 14, 3).getTime();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test.each([
  [NOW - MINUTE, '14:02'],
  [NOW - 14 * 60 * MINUTE, '00:03'],
  [NOW - 15 * 60 * MINUTE, 'yesterday'],
  [NOW - 9 * DAY, 'Thu 12 Nov'],
  [NOW - 400 * DAY, '17 Oct 2025'],
])('times are written as people say them: %d is %s', (at, said) => {
  expect(saidTime(at, NOW)).toBe(said);
});

test.each([
  [812, '812 B'],
  [1_000, '1.0 KB'],
  [48_213, '48 KB'],
  [999_600, '1.0 MB'],
  [25 * 1024 * 1024, '26 MB'],
])('sizes are written as people say them: %d is %s', (bytes, said) => {
  expect(saidSize(bytes)).toBe(said);
});

const shownText = fc
  .oneof(fc.string({ unit: 'grapheme' }), anyText(), fc.string())
  .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text));

test('a cell of any text has the given width', () => {
  fc.assert(
    fc.property(shownText, fc.integer({ min: 1, max: 40 }), (text, width) => {
      expect(stringWidth(cut(text, width))).toBeLessThanOrEqual(width);
      expect(stringWidth(fill(text, width))).toBe(width);
      expect(stringWidth(fillRight(text, width))).toBe(width);
    }),
  );
});

test('the lines of any text fit the column and lose nothing but spaces', () => {
  fc.assert(
    fc.property(shownText, fc.integer({ min: 2, max: 40 }), (text, width) => {
      const lines = wrapText(text, width);
      for (const line of lines) {
        // A single glyph may be wider than a narrow column. It then has a line of its own.
        const isOneGlyph = [...new Intl.Segmenter().segment(line)].length === 1;
        if (!isOneGlyph) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      }
      expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    }),
  );
});

test('a word that is split over lines stays apart from the next one', () => {
  expect(wrapText('abcdefghijkl mn op', 8)).toEqual(['abcdefgh', 'ijkl mn', 'op']);
});

test('a very long text is laid out up to a limit, and a line says that there is more', () => {
  const lines = wrapText('x'.repeat(5_000_000), 80);
  expect(lines.length).toBeLessThanOrEqual(20_002);
  expect(lines.at(-1)).toContain('not shown');
});

test('a glyph that terminals disagree on is followed by the column it ends at', () => {
  expect(markDoubtful('plain ❯ ●', () => '!')).toBe('plain ❯ ●');
  expect(markDoubtful('a\u001b[1m🎉\u001b[22mb', (column) => `<${column}>`)).toBe('a\u001b[1m🎉<3>\u001b[22mb');
});

test('an attachment overwrites nothing and follows no link', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mailcap-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'a.txt'), 'mine');
  await writeFile(join(directory, 'elsewhere'), 'mine too');
  await symlink(join(directory, 'elsewhere'), join(directory, 'a (2).txt'));
  expect(await saveInDirectory(directory, 'a.txt', Buffer.from('new'))).toBe('a (3).txt');
  expect(await readFile(join(directory, 'a.txt'), 'utf8')).toBe('mine');
  expect(await readFile(join(directory, 'elsewhere'), 'utf8')).toBe('mine too');
  expect((await readdir(directory)).sort()).toEqual(['a (2).txt', 'a (3).txt', 'a.txt', 'elsewhere']);
});

test('attachments are saved in a directory of their own, which git ignores, and not as what a tool runs', async () => {
  const working = await mkdtemp(join(tmpdir(), 'mailcap-test-'));
  onTestFinished(() => rm(working, { recursive: true }));
  const directory = attachmentsIn(working);
  expect(await saveInDirectory(directory, 'mailcap.config.js', Buffer.from('evil()'))).toBe('mailcap.config.js.txt');
  expect(await saveInDirectory(directory, '.gitignore', Buffer.from('!*'))).toBe('gitignore');
  expect(await readdir(working)).toEqual(['mailcap-attachments']);
  expect((await readdir(directory)).sort()).toEqual(['.gitignore', 'gitignore', 'mailcap.config.js.txt']);
  expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
});

unless(test, lacking('bash'))('any request as curl is one command without control characters', () => {
  const url = 'http://127.0.0.1:8025/hooks/k/a?b=c&d';
  const body = `it's $HOME \`id\`\n\u001b[201~rm -rf\r\n`;
  const headers: [string, string][] = [
    ['x-test', `"quoted" 'too' \\`],
    ['host', 'x'],
    ['content-length', '3'],
  ];
  const command = shellCurl({ method: 'POST', url, headers, body, bodyUrl: null });
  expect(command.replaceAll(' \\\n  ', '')).not.toMatch(/\p{Cc}/u);
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  const words = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  expect(words).toEqual(['-X', 'POST', url, '-H', `x-test: "quoted" 'too' \\`, '--data-raw', body]);
});

test('the curl command of a binary body fetches the body from the server', () => {
  const command = shellCurl({ method: 'PUT', url: 'http://x/', headers: [], body: null, bodyUrl: 'http://x/b' });
  expect(command).toBe('curl -s http://x/b | curl -X PUT http://x/ \\\n  --data-binary @-');
});

test('the curl command sends empty headers, waits for no body of a HEAD, and drops Accept-Encoding', () => {
  const headers: [string, string][] = [
    ['x-empty', ''],
    ['accept-encoding', 'br'],
  ];
  const command = shellCurl({ method: 'HEAD', url: 'http://x/', headers, body: '', bodyUrl: null });
  expect(command).toBe("curl --head http://x/ \\\n  -H 'x-empty;'");
});

test('an end before the feed opens leaves no connection behind', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const told = await createClient({ baseUrl: server.url, apiKey: server.apiKey }).server();
  const listener = { opened: () => expect.unreachable(), told: () => expect.unreachable() };
  expect(await listenToFeed(told, null, listener, AbortSignal.abort())).toBe('stopped');
});

test('a code that failed to load is requested again after five seconds of the server, whose clock may be set', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const backend = await openBackend(createClient({ baseUrl: server.url, apiKey: server.apiKey }));
  const machine = {
    copy: async () => 'copied' as const,
    browse: () => {},
    directory: '',
    save: async (name: string) => name,
  };
  const fixture = { backend, machine, mailboxId: null, openId: null, webhookUrl: '', now: 1_000, explain: String };
  const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const inputs = await runInboxEffect({ do: 'load-code', id }, fixture);
  expect(inputs).toEqual([{ is: 'code', id, code: null, expiresAt: 6_000 }]);
});

test('OSC 52 carries as much as terminals accept, and no more', () => {
  expect(osc52('481516')).toBe('\u001b]52;c;NDgxNTE2\u0007');
  expect(osc52('x'.repeat(100_000))).toBeNull();
});

test.each([
  [{}, 'colour'],
  [{ NO_COLOR: '1' }, 'plain'],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, 'plain'],
  [{ FORCE_COLOR: '0' }, 'plain'],
  [{ TERM: 'dumb' }, 'none'],
  [{ TERM: 'dumb', FORCE_COLOR: '1' }, 'colour'],
])('with %j it is drawn in %s', (env, palette) => {
  expect(paletteOf(env)).toBe(palette);
});

test('a burst of arrivals in one mailbox becomes one input, in its order', () => {
  const row = (id: string) => ({ id, from: '', to: '', subject: '', receivedAt: 0, sizeBytes: 0, attachmentCount: 0 });
  const arrival = (mailboxId: string, id: string) => ({ is: 'messages-arrived', mailboxId, rows: [row(id)] }) as const;
  const joined = joinArrivals([
    arrival('a', '1'),
    arrival('a', '2'),
    arrival('b', '3'),
    { is: 'connected' },
    arrival('b', '4'),
  ]);
  expect(
    joined.map((input) => (input.is === 'messages-arrived' ? input.rows.map(({ id }) => id).join() : input.is)),
  ).toEqual(['1,2', '3', 'connected', '4']);
});

const LONG = 'https://mail.shop.example/c/eJwczzFu4zAQheHTkJ0FckiR_end?utm_source=mail';
test.each([
  ['https://shop.example/a', 40, 'https://shop.example/a'],
  ['https://shop.example/verify?t=1', 28, 'shop.example/verify?t=1'],
  [LONG, 33, 'mail.shop.example/…tm_source=mail'],
  ['https://bank.example@evil.example/sign-in/and/more', 24, 'evil.example/…n/and/more'],
  [`https://${'a'.repeat(40)}.evil.example/verify`, 30, '…aaaaaaa.evil.example/verify'],
  [`https://${'a'.repeat(40)}.evil.example/`, 16, '…aa.evil.example'],
  ['mailto:ada.lovelace@shop.example?subject=unsubscribe', 24, 'mailto:ada.…=unsubscribe'],
  ['myapp://login/token-of-thirty-characters-END', 24, 'myapp://login/…cters-END'],
])('the URL %s in %i columns is %s: its host and its end', (url, width, shown) => {
  expect(shortUrl(url, width)).toBe(shown);
});

test('any URL fits its columns', () => {
  const urls = [
    LONG,
    'https://例え.テスト/道/終わり',
    `https://${'a'.repeat(300)}.example/${'道'.repeat(300)}`,
    'tel:+49',
    '',
  ];
  for (const url of urls)
    for (let width = 1; width <= 60; width++) expect(widthOf(shortUrl(url, width))).toBeLessThanOrEqual(width);
});
