import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { scriptedRelay } from '../relay/scripted-relay.ts';
import type { SendState } from '../support/outbound.ts';
import { type Served, serve } from './served.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-outbound-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ROUNDS = 8;

async function call(served: Served, method: string, path: string, body: unknown): Promise<Response> {
  return fetch(served.ready.url + path, {
    method,
    headers: { authorization: `Bearer ${served.ready.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Sends to the relay and to a local mailbox until the connection breaks. It records the accepted sends by subject. */
async function load(served: Served, round: number, accepted: Map<string, string>): Promise<void> {
  const { ready } = served;
  for (let i = 0; ; i++) {
    const subject = `r${round}-${i}`;
    const to = `ada@elsewhere.test, bob-${i % 3}@elsewhere.test, user@box.mailcap.example.com`;
    const text = 'x'.repeat(i % 4 === 0 ? 200_000 : 200);
    const answer = await call(served, 'POST', `/v1/mailboxes/${ready.mailboxId}/send`, {
      ...{ from: 'app@mailcap.example.com', to, subject, textBody: text },
    });
    if (answer.status !== 202) throw new Error(await answer.text());
    accepted.set(subject, ((await answer.json()) as { outboundSendId: string }).outboundSendId);
  }
}

const subjectOf = (raw: string) => /^Subject: (\S+)/m.exec(raw)?.[1] ?? '';

test(`after kill -9 with mail in the queue, ${ROUNDS} times, all mail is delivered and none twice`, {
  timeout: 180_000,
}, async () => {
  let turns = 0;
  await using relay = await scriptedRelay({
    // Some sends wait for another attempt when the server is killed.
    rcpt: () => (turns++ % 7 === 3 ? '451 4.7.1 Later' : '250 Ok'),
  });
  const accepted = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    const served = await serve(directory, '--relay', relay.url);
    if (round === 0) {
      const { mailboxId, workspaceId } = served.ready;
      const allowlist = ['*.elsewhere.test', '*.mailcap.example.com'];
      await call(served, 'PATCH', `/_mailcap/mailboxes/${mailboxId}`, { allowlist });
      await call(served, 'POST', `/v1/workspaces/${workspaceId}/mailboxes`, { subdomain: 'box' });
    }
    const from = relay.taken.length;
    const sending = load(served, round, accepted).catch(() => {});
    await vi.waitFor(() => expect(relay.taken.length).toBeGreaterThan(from + 3 + ((round * 5) % 11)), {
      ...{ timeout: 20_000, interval: 1 },
    });
    await served.end('SIGKILL');
    await sending;
  }
  relay.script = {};
  const served = await serve(directory, '--relay', relay.url);
  const sends = new Map<string, SendState>();
  await vi.waitFor(
    async () => {
      for (const id of accepted.values()) {
        if (sends.has(id)) continue;
        const send = await served.get<SendState>(`/_mailcap/sends/${id}`);
        expect(send.state).not.toBe('queued');
        sends.set(id, send);
      }
    },
    { timeout: 90_000, interval: 100 },
  );

  const relayed = new Map<string, number>();
  for (const { raw, rcptTo } of relay.taken) {
    for (const address of rcptTo) {
      const mail = `${subjectOf(raw)} ${address}`;
      relayed.set(mail, (relayed.get(mail) ?? 0) + 1);
    }
  }
  expect([...relayed].filter(([, times]) => times > 1)).toEqual([]);
  const boxes = await served.get<{ id: string; subdomain: string }[]>('/v1/mailboxes');
  const box = boxes.find(({ subdomain }) => subdomain === 'box');
  const copies = (await served.messages(box?.id)).map(({ subject }) => subject);
  expect(new Set(copies).size).toBe(copies.length);
  const own = new Set((await served.messages()).map(({ id }) => id));
  for (const [subject, id] of accepted) {
    const send = sends.get(id);
    expect(own.has(send?.messageId ?? ''), subject).toBe(true);
    expect(copies, subject).toContain(subject);
    for (const { address, state, lastReply } of send?.recipients ?? []) {
      if (address === 'user@box.mailcap.example.com') expect(state).toBe('delivered');
      else if (state === 'delivered') expect(relayed.get(`${subject} ${address}`), `${subject} ${address}`).toBe(1);
      else
        expect([state, lastReply], `${subject} ${address}`).toEqual([
          'failed',
          expect.stringContaining('may have been'),
        ]);
    }
  }
  expect(accepted.size).toBeGreaterThan(ROUNDS);
  expect(await served.end('SIGTERM')).toBe(0);
});
