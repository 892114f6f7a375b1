import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { json } from '../http/support.ts';
import { type TestServer, test } from '../support/mailcap.ts';
import { propertyRuns } from '../support/night.ts';
import { ofOneServer } from '../support/one-server.ts';
import { unless } from '../support/unless.ts';

const CORPUS = join(import.meta.dirname, '..', 'corpus');
const MAILS = ['enmime', 'ruby-mail', 'reports'].flatMap((folder) =>
  readdirSync(join(CORPUS, folder))
    .filter((name) => /\.(eml|raw)$/.test(name))
    .map((name) => readFileSync(join(CORPUS, folder, name), 'latin1'))
    .filter(({ length }) => length > 40 && length < 100_000),
);

/** A real mail in which a hostile sender repeats a piece. */
const repeated = fc.record({
  mail: fc.constantFrom(...MAILS),
  at: fc.double({ min: 0, max: 0.99, noNaN: true }),
  length: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 200 })),
  glue: fc.constantFrom('', ' ', '\r\n'),
});

const READINGS = ['', '/content', '/checks', '/links', '/html-support', '/view', '/thread'];
const SMALL = 60_000;
const TIMES = 4;
/** The processor time in milliseconds below which nothing is compared. Most mails take a tenth of it. */
const CHEAP_MS = 600;

/** Stores a mail, reads it in all ways, and returns the processor time of all threads for it, in milliseconds. */
async function cost({ api, url, mailboxId }: TestServer, raw: Buffer): Promise<number> {
  const before = process.cpuUsage();
  const body = { method: 'POST', headers: { 'content-type': 'message/rfc822' }, body: new Uint8Array(raw) };
  const { id } = await json<{ id: string }>(api(`/_mailcap/mailboxes/${mailboxId}/messages`, body));
  for (const reading of READINGS) {
    const answer = await fetch(`${url}/_mailcap/messages/${id}${reading}`);
    expect([200, 422]).toContain(answer.status);
    await answer.arrayBuffer();
  }
  const { user, system } = process.cpuUsage(before);
  await api(`/_mailcap/messages/${id}`, { method: 'DELETE' });
  return (user + system) / 1_000;
}

unless(test, ofOneServer('its processor time'))(
  'no piece of a real mail that a sender repeats takes more than linear time',
  { timeout: 600_000 },
  async ({ mailcap }) => {
    await fc.assert(
      fc.asyncProperty(repeated, async ({ mail, at, length, glue }) => {
        const from = Math.floor(at * mail.length);
        const piece = mail.slice(from, from + length) + glue;
        const of = (size: number) =>
          Buffer.from(mail.slice(0, from) + piece.repeat(Math.ceil(size / piece.length)) + mail.slice(from), 'latin1');
        if ((await cost(mailcap, of(SMALL))) < CHEAP_MS) return;
        const [small, large] = [await cost(mailcap, of(SMALL)), await cost(mailcap, of(TIMES * SMALL))];
        expect(large).toBeLessThan(Math.max(CHEAP_MS, small) * TIMES * 1.6);
      }),
      { numRuns: propertyRuns(1_000, 12) },
    );
  },
);
