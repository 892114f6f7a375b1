import fc from 'fast-check';
import { describe, expect, vi } from 'vitest';
import { json, type Summary } from '../http/support.ts';
import { startServer, type TestServer, test } from '../support/mailcap.ts';
import { propertyRuns } from '../support/night.ts';
import { ask, type Seen } from './answer.ts';
import { addBox, addNarrowKey, addTenant, type Box, type Tenant } from './tenant.ts';

type Operation =
  | {
      readonly kind: 'send';
      readonly who: number;
      readonly to: readonly number[];
      readonly hidden: boolean;
      readonly idempotencyKey: number | null;
    }
  | { readonly kind: 'bounce' | 'list' | 'pardon'; readonly who: number; readonly whom: number };

const pick = fc.nat(1_000);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      who: pick,
      to: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
      hidden: fc.boolean(),
      idempotencyKey: fc.option(fc.nat(1)),
    }),
  },
  fc.record({
    kind: fc.constantFrom('bounce' as const, 'list' as const, 'pardon' as const),
    who: pick,
    whom: fc.nat(2),
  }),
);

interface Sender extends Tenant {
  readonly box: Box;
  readonly address: string;
  /** The id of the suppression entry by recipient. */
  readonly suppressed: Map<string, string>;
  readonly answered: Map<number, string>;
  /** The subjects in the tenant's mailbox, oldest first. */
  readonly mail: string[];
  emails: number;
}

class Senders {
  readonly #server: TestServer;
  readonly #all: Sender[] = [];
  #count = 0;

  constructor(server: TestServer) {
    this.#server = server;
  }

  async open(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const tenant = await addTenant(this.#server);
      const box = await addBox(this.#server, tenant, 'out');
      const address = `user@${box.subdomain}.mailcap.example.com`;
      this.#all.push({ ...tenant, box, address, suppressed: new Map(), answered: new Map(), mail: [], emails: 0 });
    }
  }

  async do(operation: Operation): Promise<void> {
    const sender = this.#at(operation.who);
    if (operation.kind === 'send') return this.#send(sender, operation);
    const { address } = this.#at(operation.whom);
    const path = `/v1/workspaces/${sender.id}/suppression`;
    switch (operation.kind) {
      case 'bounce': {
        const entry = this.#server.api(`/_mailcap/workspaces/${sender.id}/suppression`, {
          json: { recipient: address, reason: 'bounce' },
        });
        sender.suppressed.set(address, (await json<{ id: string }>(entry)).id);
        return;
      }
      case 'list': {
        const { body } = await ask(this.#server, { path, key: sender.key });
        const listed: { recipient: string; id: string }[] = JSON.parse(body);
        expect(new Map(listed.map(({ recipient, id }) => [recipient, id]))).toEqual(sender.suppressed);
        return;
      }
      case 'pardon': {
        // The sender tries to delete this recipient's entry from every list. Only its own entry may be deleted.
        for (const { suppressed } of this.#all) {
          const id = suppressed.get(address);
          if (id === undefined) continue;
          const { status } = await ask(this.#server, { method: 'DELETE', path: `${path}/${id}`, key: sender.key });
          expect(status).toBe(suppressed === sender.suppressed ? 204 : 404);
        }
        sender.suppressed.delete(address);
        return;
      }
    }
  }

  async audit(): Promise<void> {
    for (const sender of this.#all) {
      const path = `/v1/mailboxes/${sender.box.id}/messages`;
      const { body } = await this.#ask(sender, { path });
      const messages: Summary[] = JSON.parse(body);
      expect(messages.map(({ subject }) => subject).sort()).toEqual([...sender.mail].sort());
      for (const { id } of messages) {
        const { body } = await this.#ask(sender, { path: `${path}/${id}` });
        // Only the To header, which the sender wrote, may name other recipients.
        const { bcc, headersJson, ...rest } = JSON.parse(body);
        expect(`${bcc}${headersJson}`).not.toMatch(/\bbcc\b/i);
        if (rest.envelopeFrom !== sender.address) this.#expectNoTrace(sender, `${bcc}`);
      }
      const workspaces = await json<{ id: string; walletCents: number }[]>(this.#server.api('/_mailcap/workspaces'));
      const { walletCents } = workspaces.find(({ id }) => id === sender.id) ?? {};
      expect(walletCents).toBe(Math.floor((1_000_000 - 50 * sender.emails) / 1_000));
    }
  }

  async #send(sender: Sender, { to, hidden, idempotencyKey }: Extract<Operation, { kind: 'send' }>): Promise<void> {
    const recipients = [...new Set(to.map((at) => this.#at(at)))];
    const subject = `sent ${++this.#count}.`;
    const addresses = recipients.map(({ address }) => address);
    const [first = '', ...rest] = addresses;
    const fields = hidden ? { to: first, bcc: rest.join(', ') || null } : { to: addresses.join(', ') };
    const body = JSON.stringify({ from: sender.address, subject, textBody: 'hi', ...fields });
    const headers = idempotencyKey === null ? {} : { 'idempotency-key': `send-${idempotencyKey}` };
    const path = `/v1/mailboxes/${sender.box.id}/send`;
    const answer = await this.#ask(sender, { method: 'POST', path, headers, body });

    const before = idempotencyKey === null ? undefined : sender.answered.get(idempotencyKey);
    if (before !== undefined) {
      expect(answer.body).toBe(before);
      return;
    }
    if (idempotencyKey !== null) sender.answered.set(idempotencyKey, answer.body);
    const refused = addresses.filter((address) => sender.suppressed.has(address));
    if (refused.length > 0) {
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        422,
        { error: 'suppressed_recipients', recipients: refused },
      ]);
      return;
    }
    expect(answer.status).toBe(202);
    sender.emails += recipients.length;
    sender.mail.push(subject);
    for (const { mail } of recipients) mail.push(subject);
    await this.#delivered(JSON.parse(answer.body).outboundSendId);
  }

  async #delivered(sendId: string): Promise<void> {
    await vi.waitFor(
      async () => {
        const { state } = await json<{ state: string }>(this.#server.api(`/_mailcap/sends/${sendId}`));
        expect(state).toBe('delivered');
      },
      { timeout: 15_000, interval: 5 },
    );
  }

  async #ask(
    sender: Sender,
    asked: { method?: string; path: string; headers?: Record<string, string>; body?: string },
  ): Promise<Seen> {
    const seen = await ask(this.#server, { ...asked, key: sender.key });
    for (const other of this.#all) {
      if (other === sender) continue;
      for (const id of [other.id, other.box.id, ...other.suppressed.values()]) expect(seen.body).not.toContain(id);
    }
    return seen;
  }

  #expectNoTrace(sender: Sender, text: string): void {
    for (const other of this.#all) if (other !== sender) expect(text).not.toContain(other.token);
  }

  #at(index: number): Sender {
    const sender = this.#all[index % this.#all.length];
    if (sender === undefined) throw new Error('there is nobody');
    return sender;
  }
}

describe('sends', () => {
  test('each workspace has its own wallet, suppression list and stored answers, whatever the others send', async ({
    mailcap,
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 20 }), async (all) => {
        const senders = new Senders(mailcap);
        await senders.open(3);
        for (const one of all) await senders.do(one);
        await senders.audit();
      }),
      { numRuns: propertyRuns(20, 8) },
    );
  });

  test('a stored answer is replayed only to the key that got it, and to no other key of the workspace', async () => {
    await using server = await startServer();
    const us = await addTenant(server);
    const [box, other] = [await addBox(server, us, 'a'), await addBox(server, us, 'b')];
    const [within, beyond] = [await addNarrowKey(server, us, [box.id]), await addNarrowKey(server, us, [other.id])];
    const send = (key: string, idempotencyKey: string) =>
      ask(server, {
        method: 'POST',
        path: `/v1/mailboxes/${box.id}/send`,
        key,
        headers: { 'idempotency-key': idempotencyKey },
        body: JSON.stringify({
          from: 'a@mailcap.example.com',
          to: 'b@inbox.mailcap.example.com',
          subject: 's',
          textBody: 't',
        }),
      });
    const first = await send(us.key, 'one');
    expect(first.status).toBe(202);
    expect((await send(us.key, 'one')).body).toBe(first.body);
    const anew = await send(within, 'one');
    expect(anew.status).toBe(202);
    expect(anew.body).not.toBe(first.body);
    expect(await send(beyond, 'one')).toEqual(await send(beyond, 'never used'));
    expect((await send(beyond, 'two')).status).toBe(404);
    // The refusal that the other key received is not replayed for this key.
    expect((await send(us.key, 'two')).status).toBe(202);
  });

  test('a domain that one workspace verified is not verified in another', async ({ mailcap }) => {
    const [us, them] = [await addTenant(mailcap), await addTenant(mailcap)];
    const [ours, theirs] = [await addBox(mailcap, us, 'a'), await addBox(mailcap, them, 'a')];
    await mailcap.api(`/_mailcap/workspaces/${us.id}/identities`, { json: { domain: 'shop.example' } });
    const send = (key: string, box: Box) =>
      ask(mailcap, {
        method: 'POST',
        path: `/v1/mailboxes/${box.id}/send`,
        key,
        body: JSON.stringify({
          from: 'a@shop.example',
          to: 'b@inbox.mailcap.example.com',
          subject: 's',
          textBody: 't',
        }),
      });
    expect((await send(us.key, ours)).status).toBe(202);
    const refused = await send(them.key, theirs);
    expect([refused.status, refused.body]).toEqual([422, '{"error":"invalid_from_domain","domain":"shop.example"}']);
  });

  test('no workspace may send from the subdomain of a mailbox of another', async ({ mailcap }) => {
    const [us, them] = [await addTenant(mailcap), await addTenant(mailcap)];
    const [ours, theirs] = [await addBox(mailcap, us, 'a'), await addBox(mailcap, them, 'a')];
    const from = async (tenant: Tenant, box: Box, address: string) => {
      const path = `/v1/mailboxes/${box.id}/send`;
      const body = JSON.stringify({
        from: address,
        to: `b@${theirs.subdomain}.mailcap.example.com`,
        subject: 's',
        textBody: 't',
      });
      const { status, body: answer } = await ask(mailcap, { method: 'POST', path, key: tenant.key, body });
      return status === 202 ? 202 : [status, JSON.parse(answer)];
    };
    const refusal = (domain: string) => [422, { error: 'invalid_from_domain', domain }];
    const domain = `${ours.subdomain}.mailcap.example.com`;
    expect(await from(them, theirs, `a@${domain}`)).toEqual(refusal(domain));
    expect(await from(them, theirs, `"A" <A@${domain.toUpperCase()}>`)).toEqual(refusal(domain));
    expect(await from(them, theirs, `a@news.${domain}`)).toEqual(refusal(`news.${domain}`));
    expect(await from(them, theirs, 'a@inbox.mailcap.example.com')).toEqual(refusal('inbox.mailcap.example.com'));
    // The workspace itself may, from each of its mailboxes.
    const another = await addBox(mailcap, us, 'b');
    for (const address of [`a@${domain}`, `a@news.${domain}`]) expect(await from(us, another, address)).toBe(202);
    for (const free of ['a@mailcap.example.com', 'a@nobodys.mailcap.example.com'])
      expect(await from(them, theirs, free)).toBe(202);
    // An identity is what the operator allowed.
    await mailcap.api(`/_mailcap/workspaces/${them.id}/identities`, { json: { domain } });
    expect(await from(them, theirs, `a@${domain}`)).toBe(202);
    expect(await from(them, theirs, `a@news.${domain}`)).toEqual(refusal(`news.${domain}`));
    // Without its mailbox the subdomain is free.
    expect((await mailcap.api(`/_mailcap/mailboxes/${ours.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await from(them, theirs, `a@news.${domain}`)).toBe(202);
  });
});
