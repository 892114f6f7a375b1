import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Served, serve } from '../faults/served.ts';
import { byDay } from '../support/night.ts';
import { attacked } from './attacked.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-attacks-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const MEGABYTE = 1_000_000;
const filled = (piece: string, characters: number) => piece.repeat(Math.ceil(characters / piece.length));
const numbered = (many: number, write: (at: number) => string) =>
  Array.from({ length: many }, (_, at) => write(at)).join('');

const html = (body: string) => `Subject: x\r\nContent-Type: text/html\r\n\r\n${body}`;

function withPictures(body: string, pictures: readonly (readonly [id: string, bytes: number])[]): string {
  const parts = pictures.map(
    ([id, bytes]) =>
      `--b\r\nContent-Type: image/png\r\nContent-ID: <${id}>\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(bytes, 'picture').toString('base64')}\r\n`,
  );
  return `Subject: x\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${body}\r\n${parts.join('')}--b--\r\n`;
}

interface Hostile {
  readonly what: string;
  readonly mail: () => string | Buffer<ArrayBuffer>;
  /** What its page says. Null if it says nothing. */
  readonly says: RegExp | null;
}

const LARGE = 16 * MEGABYTE;
/** On a busy machine the clock may end the rendering first. */
const TOOK_TOO_LONG = /Rendering took more than 10 seconds\./;
const END = /left out the end of the mail\./;

const MAILS: readonly Hostile[] = [
  {
    what: '6,000 references to one picture of 1 MB',
    mail: () =>
      withPictures(
        numbered(6_000, () => '<img src="cid:x">\r\n'),
        [['x', MEGABYTE]],
      ),
    says: /left out its pictures in 5,991 places\./,
  },
  { what: '16 MB of <', mail: () => html(filled('<', LARGE)), says: END },
  {
    what: 'a style sheet of 16 MB',
    mail: () => html(`<style>${filled('a{b:url(//x.y)}', LARGE)}</style>`),
    says: null,
  },
  {
    what: 'a million attributes',
    mail: () => html(`<p ${numbered(MEGABYTE, (at) => `a${at}=1 `)}>x</p>`),
    says: /left out 999,000 attributes\./,
  },
  { what: 'five million open tags', mail: () => html(filled('<b>', LARGE)), says: null },
  { what: 'two million cells', mail: () => html(`<table><tr>${filled('<td>1\r\n', LARGE)}`), says: null },
  {
    what: 'a style sheet that refers to a picture 100,000 times',
    mail: () => withPictures(`<style>${filled('a{b:url(cid:x)}\r\n', 1_700_000)}</style>`, [['x', MEGABYTE]]),
    says: /left out its pictures in 99,991 places\./,
  },
  {
    what: '5,000 pictures, each used 20 times',
    mail: () =>
      withPictures(
        numbered(5_000, (at) => `<img src=cid:${at}>\r\n`).repeat(20),
        Array.from({ length: 5_000 }, (_, at) => [`${at}`, 1_500]),
      ),
    says: /left out its pictures in 93,\d+ places\./,
  },
  {
    what: 'a picture of 16 MB in a data: URL',
    mail: () => html(`<img src="data:image/png;base64,${filled('A', LARGE)}">`),
    says: null,
  },
  { what: 'svg, nested a million times', mail: () => html(filled('<svg><use href=#a>', LARGE)), says: END },
  { what: 'a word of 16 million letters', mail: () => html(filled('a', LARGE)), says: null },
  { what: 'a text of 16 MB', mail: () => `Subject: x\r\n\r\n${filled('& < > \r\n', LARGE)}`, says: END },
  {
    what: 'quoted-printable of 20 MB',
    mail: () =>
      `Subject: x\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${filled('=3C=26=\r\n', 20 * MEGABYTE)}`,
    says: END,
  },
  {
    what: '20 MB that are no UTF-8',
    mail: () => Buffer.from(html(filled('\xe9', 20 * MEGABYTE)), 'latin1'),
    says: END,
  },
  {
    what: '20 MB of lines that flow',
    mail: () => `Subject: x\r\nContent-Type: text/plain; format=flowed\r\n\r\n${filled('aaaaaaa \n', 20 * MEGABYTE)}`,
    says: END,
  },
  { what: 'references in an attribute', mail: () => html(`<p title="${filled('&amp;', LARGE)}">`), says: null },
  {
    what: 'a set of pictures with 4 million spaces',
    mail: () => html(`<img srcset="a ${filled(' b', LARGE)}">`),
    says: null,
  },
  { what: 'comments that do not end', mail: () => html(filled('<!-- --', LARGE)), says: null },
  {
    what: 'a hundred thousand hosts',
    mail: () => html(numbered(300_000, (at) => `<img src=//h${at}.test/>\r\n`)),
    says: null,
  },
  {
    what: 'links of a megabyte',
    mail: () => html(filled(`<a href="http://x.test/${filled('ä/../', MEGABYTE)}">`, 8 * MEGABYTE)),
    says: null,
  },
];

/** Starts a server for one attack, so that the memory of another does not count. */
async function ownServer(): Promise<Served & AsyncDisposable> {
  const served = await serve(mkdtempSync(join(directory, 'server-')));
  return {
    ...served,
    [Symbol.asyncDispose]: async () => {
      expect(await served.end('SIGTERM')).toBe(0);
    },
  };
}

const BY_DAY: ReadonlySet<string> = new Set([
  '6,000 references to one picture of 1 MB',
  'a million attributes',
  '20 MB that are no UTF-8',
]);

// By day two that took the server down, and a page that is cut.
test.each(byDay(MAILS, ({ what }) => BY_DAY.has(what)))(
  '$what: the mail is shown within limits',
  async ({ what, mail, says }) => {
    const raw = mail();
    await using served = await ownServer();
    await attacked(served, what, async () => {
      const { ready } = served;
      const put = await fetch(`${ready.url}/_mailcap/mailboxes/${ready.mailboxId}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'message/rfc822' },
        body: raw,
      });
      expect(put.status).toBe(201);
      const { id } = (await put.json()) as { id: string };
      const page = await fetch(`${ready.url}/_mailcap/messages/${id}/view`);
      expect(page.status).toBe(200);
      const shown = await page.text();
      expect(shown.length).toBeLessThan(45 * MEGABYTE);
      const note = /^(?:<!doctype[^>]*>)?<div role="note"[^>]*>([^<]*)/i.exec(shown.slice(0, 10_000))?.[1] ?? null;
      if (says === null && !TOOK_TOO_LONG.test(note ?? '')) expect(note).toBeNull();
      else expect(note).toMatch(new RegExp(`${says?.source}|${TOOK_TOO_LONG.source}`));
      const opened = await fetch(`${ready.url}/_mailcap/messages/${id}/view`, { method: 'POST' });
      expect(opened.status).toBe(201);
    });
  },
);
