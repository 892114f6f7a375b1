import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { askMaildev, askMailhog, askMailpit, numbered } from './ask.ts';
import { differencesOf, isTold } from './differences.ts';
import { MAILS, sendAll } from './mails.ts';
import { TOLD } from './told-differences.ts';

// record.ts has recorded the answers of the real servers. Here the same mails and questions go to mailcap. Every
// difference is told in told-differences.ts, and every told one is there.

const ASK = {
  mailpit: askMailpit,
  mailhog: askMailhog,
  'maildev 3': (base: string) => askMaildev(base, '/api/email'),
  'maildev 2': (base: string) => askMaildev(base, '/email'),
} as const;

describe.each(Object.keys(ASK) as (keyof typeof ASK)[])('%s', (name) => {
  const [peer = ''] = name.split(' ');
  const file = name === 'maildev 3' ? peer : name.replace(' ', '-');

  test('every recorded answer of the real server is also that of mailcap, except for the listed differences', async () => {
    // The first of two APIs that share a path wins, so each one is asked alone.
    await using server = await startServer({ compat: [peer] });
    await sendAll(server.smtp.port, MAILS);
    const { recording, ids } = await ASK[name](server.url);
    expect(ids).toHaveLength(MAILS.length);
    const path = join(import.meta.dirname, 'recorded', `${file}.json`);
    const differences = differencesOf(JSON.parse(readFileSync(path, 'utf8')), numbered(recording, ids));
    const told = TOLD[name] ?? TOLD[peer] ?? [];
    expect(differences.filter((difference) => !told.some((one) => isTold(one, difference)))).toEqual([]);
    const unused = told.filter((one) => !differences.some((difference) => isTold(one, difference)));
    expect(unused.map(([, why]) => why)).toEqual([]);
  });
});
