import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { askMailpit, numbered } from './ask.ts';
import { MAILS, sendAll } from './mails.ts';

test('debug', async () => {
  await using server = await startServer({});
  await sendAll(server.smtp.port, MAILS);
  const { recording, ids } = await askMailpit(server.url);
  const ours = numbered(recording, ids) as any;
  const theirs = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded', 'mailpit.json'), 'utf8'));
  const out: string[] = [];
  const diff = (at: string, a: any, b: any) => {
    if (typeof a === 'object' && typeof b === 'object' && a && b) {
      for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) diff(`${at}.${k}`, a[k], b[k]);
    } else if (a !== b) out.push(`${at}: theirs ${JSON.stringify(a)?.slice(0, 150)} ours ${JSON.stringify(b)?.slice(0, 150)}`);
  };
  for (const k of Object.keys(theirs)) diff(k, theirs[k], ours[k]);
  for (const k of Object.keys(ours)) if (!(k in theirs)) out.push(`only ours: ${k}`);
  const { writeFileSync } = await import('node:fs');
  writeFileSync('/tmp/h16c/diff-mailpit.txt', out.join('\n'));
  expect(ids.length).toBe(18);
});
