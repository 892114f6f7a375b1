import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Wire } from '../smtp/wire.ts';
import { IS_NIGHT } from '../support/night.ts';
import { type Served, serve } from './served.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-kill-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ROUNDS = IS_NIGHT ? 12 : 2;

/** Everything that the server acknowledged before it was killed. */
class Acknowledged {
  readonly mails = new Map<string, string>();
  readonly subdomains = new Set<string>();
  #wake: () => void = () => {};
  #serial = 0;

  /** Sends mail until the connection breaks. Every third mail is large enough to be streamed. */
  async send(port: number, round: number, sender: number): Promise<void> {
    const wire = await Wire.hello(port);
    for (let i = 0; ; i++) {
      const marker = `r${round}-s${sender}-${i}`;
      const body = `Subject: ${marker}\r\n\r\n${`${marker} `.repeat(i % 3 === 0 ? 20_000 : 200)}\r\n`;
      const reply = await wire.mail('anyone@inbox.mailcap.example.com', body.slice(0, -2));
      if (!reply.startsWith('250')) throw new Error(reply);
      this.mails.set(marker, body);
      this.#wake();
    }
  }

  /** Creates mailboxes one after another until the connection breaks. */
  async create({ ready }: Served, round: number): Promise<void> {
    for (;;) {
      const subdomain = `m-${round}-${this.#serial++}`;
      const response = await fetch(`${ready.apiUrl}/workspaces/${ready.workspaceId}/mailboxes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ready.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ subdomain }),
      });
      if (response.status === 409) return;
      if (response.status !== 201) throw new Error(await response.text());
      this.subdomains.add(subdomain);
    }
  }

  async until(count: number): Promise<void> {
    while (this.mails.size < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

test(`after kill -9 under load, ${ROUNDS} times, every mail with a 250 or 201 is there, with its whole body`, async () => {
  const acknowledged = new Acknowledged();
  for (let round = 0; round < ROUNDS; round++) {
    const served = await serve(directory);
    const senders = Array.from({ length: 8 }, (_, i) => acknowledged.send(served.ready.smtpPort, round, i));
    const load = Promise.allSettled([...senders, acknowledged.create(served, round)]);
    // The server is killed during its work, at another point in each round.
    await acknowledged.until(acknowledged.mails.size + 20 + ((round * 37) % 90));
    await served.end('SIGKILL');
    await load;
  }
  expect(acknowledged.subdomains.size).toBeGreaterThan(ROUNDS);
  const served = await serve(directory);
  const stored = await served.messages();
  const bySubject = new Map(stored.map((message) => [message.subject, message]));
  expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
  for (const [marker, body] of acknowledged.mails) {
    const message = bySubject.get(marker);
    expect(message?.sizeBytes, marker).toBe(body.length);
    expect((await served.raw(message?.id ?? '')).toString(), marker).toBe(body);
  }
  const mailboxes = await served.get<{ subdomain: string }[]>('/v1/mailboxes');
  const there = new Set(mailboxes.map(({ subdomain }) => subdomain));
  for (const subdomain of acknowledged.subdomains) expect(there.has(subdomain), subdomain).toBe(true);
  expect(await served.end('SIGTERM')).toBe(0);
});
