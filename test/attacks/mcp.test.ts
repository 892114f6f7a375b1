import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Served, serve } from '../faults/served.ts';
import { byDay } from '../support/night.ts';
import { attacked } from './attacked.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-attacks-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const PARTS = ['visible', 'text', 'html', 'headers', 'links'];
const filled = (piece: string, characters: number) => piece.repeat(Math.ceil(characters / piece.length));

const MARKS = '\u0301'.repeat(20_000);
const ARABIC = `ع${'\u064b'.repeat(20_000)}`;
const MEGABYTE = 1_000_000;

const BODIES: readonly (readonly [what: string, type: 'plain' | 'html', body: string])[] = [
  ['14,000 letters and 20,000 marks', 'plain', `${'a'.repeat(14_000)}${MARKS}`],
  ['20,000 marks on an Arabic letter, with joiners', 'plain', `${ARABIC}${'\u200d'.repeat(1_000)}${ARABIC}\u200c`],
  ['20,000 marks on a letter, in HTML', 'html', `<p>a${MARKS}<p>${ARABIC}`],
  ['a megabyte of marks and joiners', 'html', `<p>${filled(`ع\u064b\u200d\u0301\u200c`, MEGABYTE)}`],
  ['a megabyte of open tags', 'html', filled('<a href=//x.y><b>', MEGABYTE)],
  ['a megabyte of links', 'plain', filled('http://x.y/?a=1 ', MEGABYTE)],
  ['a megabyte of codes', 'plain', filled('your code is 481516\n', MEGABYTE)],
  ['a megabyte of <', 'html', filled('<', MEGABYTE)],
  ['a megabyte of white space', 'html', `<p>a${filled('&nbsp; \t', MEGABYTE)}b`],
  ['a megabyte of bidi controls', 'plain', filled('\u202ea', MEGABYTE)],
];

test.each(byDay(BODIES, (_body, at) => at < 2))(
  '%s: an agent reads the mail while health is answered',
  {
    timeout: 60_000,
  },
  async (what, type, body) => {
    const served = await serve(mkdtempSync(join(directory, 'server-')));
    try {
      await attacked(served, `${what}, read through /mcp`, async () => {
        const id = await put(
          served,
          `Subject: ${MARKS.slice(0, 300)}\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${body}`,
        );
        for (const part of PARTS) expect(await call(served, 'read_message', { message_id: id, part })).toContain(id);
        expect(await call(served, 'list_messages', {})).toContain(id);
        expect(await call(served, 'check_message', { message_id: id })).toContain('result');
      });
    } finally {
      expect(await served.end('SIGTERM')).toBe(0);
    }
  },
);

async function put({ ready }: Served, raw: string): Promise<string> {
  const put = await fetch(`${ready.url}/_mailcap/mailboxes/${ready.mailboxId}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822' },
    body: raw,
  });
  expect(put.status).toBe(201);
  return ((await put.json()) as { id: string }).id;
}

/** Calls a tool as an agent does, without the SDK. Returns the answer. */
async function call({ ready }: Served, name: string, given: Record<string, unknown>): Promise<string> {
  const answer = await fetch(`${ready.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  expect(answer.status).toBe(200);
  return answer.text();
}
