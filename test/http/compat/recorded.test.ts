import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { askMaildev, askMailhog, askMailpit, numbered } from './ask.ts';
import { MAILS, sendAll } from './mails.ts';
import { TOLD, type Told } from './told-differences.ts';

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

  test('every recorded answer of the real server is also that of mailcap, except for the listed differences', {
    timeout: 120_000,
  }, async () => {
    // The first of two APIs that share a path wins, so each one is asked alone.
    await using server = await startServer({ compat: [peer] });
    await sendAll(server.smtp.port, MAILS);
    const { recording, ids } = await ASK[name](server.url);
    expect(ids).toHaveLength(MAILS.length);
    const path = join(import.meta.dirname, 'recorded', `${file}.json`);
    const differences = differencesOf(JSON.parse(readFileSync(path, 'utf8')), numbered(recording, ids));
    const told = TOLD[name] ?? TOLD[peer] ?? [];
    const tellsOf = ([pattern, , test = () => true]: Told, { at, theirs, ours }: Difference) =>
      pattern.test(at) && test(theirs, ours);
    expect(differences.filter((difference) => !told.some((one) => tellsOf(one, difference)))).toEqual([]);
    const unused = told.filter((one) => !differences.some((difference) => tellsOf(one, difference)));
    expect(unused.map(([, why]) => why)).toEqual([]);
  });
});

interface Difference {
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

function differencesOf(theirs: unknown, ours: unknown, at = ''): Difference[] {
  if (!isObject(theirs) || !isObject(ours)) return Object.is(theirs, ours) ? [] : [{ at, theirs, ours }];
  const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  return [...names].flatMap((name) =>
    differencesOf(Reflect.get(theirs, name), Reflect.get(ours, name), at === '' ? name : `${at}/${name}`),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
