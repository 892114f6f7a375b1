import { join } from 'node:path';
import { expect, test } from 'vitest';
import { saidReplayed } from '../../src/text/forwards.ts';
import { askDelete, CALLED, calledMessage, saidDeleted, saidReset, saidSent } from '../../src/text/wording.ts';
import { sourceFiles } from '../support/boundaries.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test.each([
  [calledMessage({ subject: 'Hi\u202e', from: 'ada@x.test' }), '"Hi" of ada@x.test'],
  [CALLED.messagesIn('3 messages', 'inbox'), '3 messages in inbox'],
  [CALLED.messagesFoundIn('1 message', 'inbox'), '1 message found in inbox'],
  [CALLED.mailbox('sign-up', '1 message'), 'the mailbox sign-up with 1 message'],
  [CALLED.webhook('payments', 2), 'the webhook payments with 2 requests'],
  [CALLED.requestsOf(1, 'payments'), '1 request of payments'],
])('what is deleted has one name, before and after: %s', (what, name) => {
  expect(askDelete(what).replace(/\s/g, ' ')).toContain(name);
  const said = saidDeleted(what);
  expect(said.slice(1)).toBe(`${what.slice(1)} deleted.`);
  expect(said.slice(0, 1)).toBe(what.slice(0, 1).toUpperCase());
});

test('sent, forwarded and reset are said in whole sentences', () => {
  expect(saidSent('ada@x.test, bob@x.test')).toBe('Sent to ada@x.test, bob@x.test.');
  expect(saidReplayed('delivered', 200, null)).toBe('Forwarded again: delivered 200');
  expect(saidReplayed('failed', 500, 'no')).toBe('Forwarded again: failed 500: no');
  expect(saidReset('1 message')).toBe('The server was reset: 1 message deleted.');
  expect(saidReset(null)).toBe('The server was reset.');
});

test('every part of mailcap uses the same sentences for what was deleted, sent, forwarded or reset', async () => {
  const files = [...sourceFiles(ROOT, 'src/cli'), ...sourceFiles(ROOT, 'ui')];
  expect(files.length).toBeGreaterThan(100);
  const words = /[`'"](?:[^`'"\n]* deleted\.|Sent\b[^`'"\n]*|Forwarded again|The server was reset)/;
  const code = (text: string) => text.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');
  const own = files.filter(([path, text]) => path !== 'src/text/wording.ts' && words.test(code(text)));
  expect(own.map(([path]) => path)).toEqual([]);
});
