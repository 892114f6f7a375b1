import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test as plain } from 'vitest';
import { startServer } from '../../support/mailcap.ts';
import { BY_DAY } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { askMaildev, askMailhog, askMailpit, numbered } from './ask.ts';
import { differencesOf, isTold } from './differences.ts';
import { manyMails, sendAll } from './mails.ts';
import { askPeer, PEERS } from './peers.ts';
import { NOT_TAKEN, TOLD, TOLD_OF_MANY } from './told-differences.ts';

// By night the real servers and mailcap get 200 real mails and the same questions, more than a thousand, and their
// answers are compared field by field. A server takes part if its variable (peers.ts) or PATH names its program.

const OURS = {
  mailpit: { compat: 'mailpit', ask: askMailpit, program: 'mailpit' },
  mailhog: { compat: 'mailhog', ask: askMailhog, program: 'MailHog' },
  maildev: { compat: 'maildev', ask: (base: string) => askMaildev(base, '/api/email'), program: null },
  'maildev 2': { compat: 'maildev', ask: (base: string) => askMaildev(base, '/email'), program: null },
} as const;

function programOf(name: keyof typeof OURS): string | null {
  const given = process.env[PEERS[name]?.variable ?? ''];
  const { program } = OURS[name];
  if (given !== undefined || program === null) return given ?? null;
  const places = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, program));
  return places.find((path) => existsSync(path)) ?? null;
}

describe.each(Object.keys(OURS) as (keyof typeof OURS)[])('%s', (name) => {
  const program = programOf(name);
  const peer = PEERS[name];
  const missing = program === null ? `${peer?.variable} names no program, nor does PATH` : null;

  unless(plain, BY_DAY ?? missing)(
    'answers as mailcap does, except for what is told',
    { timeout: 600_000 },
    async () => {
      if (peer === undefined || program === null) throw new Error('there is no program');
      const mails = manyMails();
      expect(mails).toHaveLength(200);
      const theirs = await askPeer(peer, program, mails);
      const { taken } = theirs;
      // What a server does not take is told, so the list of such mails is exact.
      const notTaken = mails.filter((mail) => !taken.includes(mail)).map((mail) => mail.name);
      expect(notTaken).toEqual(NOT_TAKEN[name] ?? []);
      await using server = await startServer({ compat: [OURS[name].compat], smtpSize: 50 * 1024 ** 2 });
      await sendAll(server.smtp.port, taken);
      const ours = await OURS[name].ask(server.url);
      expect(Object.keys(ours.recording).length).toBeGreaterThan(200);
      const differences = differencesOf(numbered(theirs.recording, theirs.ids), numbered(ours.recording, ours.ids));
      const told = [...(TOLD[name] ?? TOLD['maildev'] ?? []), ...(TOLD_OF_MANY[name] ?? [])];
      const untold = differences.filter((difference) => !told.some((one) => isTold(one, difference)));
      expect(untold).toEqual([]);
    },
  );
});
