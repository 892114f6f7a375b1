import { expect } from 'vitest';
import { json, putMail, type Summary } from '../http/support.ts';
import { Wire } from '../smtp/wire.ts';
import type { FeedEvent } from '../support/feed-client.ts';
import type { TestServer } from '../support/mailcap.ts';
import { ask, type Seen } from './answer.ts';
import type { Operation } from './operations.ts';
import { addAuthenticator, addTenant, type Box, type Tenant } from './tenant.ts';

interface KnownMessage {
  readonly id: string;
  readonly subject: string;
}

interface KnownBox extends Box {
  readonly owner: KnownTenant;
  /** The messages, oldest first. */
  messages: KnownMessage[];
  /** The number of messages received today. */
  inbound: number;
}

interface KnownTenant extends Tenant {
  readonly groupId: string;
  readonly authenticators: string[];
  /** The answers that created mailboxes with an Idempotency-Key, by key. */
  readonly answered: Map<number, string>;
}

interface KnownKey {
  readonly owner: KnownTenant;
  readonly id: string;
  readonly text: string;
  readonly boxes: 'all' | readonly KnownBox[];
  revoked: boolean;
}

const NOT_FOUND = '{"error":"not_found"}';
const LONG_AGO = '2000-01-01T00:00:00Z';

/** A record of every resource that the operations created. It decides what each key must see and must not see. */
export class World {
  readonly #server: TestServer;
  readonly #wire: Wire;
  readonly #tenants: KnownTenant[] = [];
  readonly #keys: KnownKey[] = [];
  #boxes: KnownBox[] = [];
  #count = 0;

  private constructor(server: TestServer, wire: Wire) {
    this.#server = server;
    this.#wire = wire;
  }

  static async of(server: TestServer, tenants: number): Promise<World> {
    const world = new World(server, await Wire.hello(server.smtp.port));
    for (let i = 0; i < tenants; i++) {
      const tenant = await addTenant(server);
      const group = server.api(`/_mailcap/workspaces/${tenant.id}/groups`, { json: { name: tenant.token } });
      const { id: groupId } = await json<{ id: string }>(group);
      const known = { ...tenant, groupId, authenticators: [], answered: new Map<number, string>() };
      world.#tenants.push(known);
      world.#keys.push({ owner: known, id: '', text: tenant.key, boxes: 'all', revoked: false });
      await world.do({ kind: 'make a mailbox', who: i, idempotencyKey: null });
    }
    return world;
  }

  close(): void {
    this.#wire.close();
  }

  async do(operation: Operation): Promise<void> {
    switch (operation.kind) {
      case 'make a mailbox':
        return this.#makeMailbox(pick(this.#tenants, operation.who), operation.idempotencyKey);
      case 'make a mailbox in a group':
        return this.#makeInGroup(pick(this.#tenants, operation.who), pick(this.#tenants, operation.group));
      case 'mail':
        return this.#mail([...new Set(operation.boxes.map((at) => this.#box(at)))]);
      case 'put a message in': {
        const box = this.#box(operation.box);
        const subject = this.#subject();
        this.#arrived(box, await putMail(this.#server, box.id, { Subject: subject }));
        return;
      }
      case 'wait':
        return this.#wait(pick(this.#keys, operation.key), this.#box(operation.box));
      case 'page':
        return this.#page(pick(this.#keys, operation.key), this.#box(operation.box), operation.before);
      case 'delete a message': {
        const box = this.#box(operation.box);
        if (box.messages.length === 0) return;
        const { id } = pick(box.messages, operation.message);
        await this.#local('DELETE', `/_mailcap/messages/${id}`);
        box.messages = box.messages.filter((message) => message.id !== id);
        return;
      }
      case 'clear': {
        const box = this.#box(operation.box);
        await this.#local('DELETE', `/_mailcap/mailboxes/${box.id}/messages`);
        box.messages = [];
        return;
      }
      case 'delete a mailbox': {
        const box = this.#box(operation.box);
        if (this.#boxes.length < 3) return;
        await this.#local('DELETE', `/_mailcap/mailboxes/${box.id}`);
        this.#boxes = this.#boxes.filter(({ id }) => id !== box.id);
        return;
      }
      case 'add an authenticator': {
        const tenant = pick(this.#tenants, operation.who);
        tenant.authenticators.push(await addAuthenticator(this.#server, tenant));
        return;
      }
      case 'issue a key':
        return this.#issueKey(pick(this.#tenants, operation.who), operation.boxes);
      case 'revoke a key': {
        const key = pick(this.#keys, operation.key);
        // The first key of each workspace creates its mailboxes, so it is never revoked.
        if (key.id === '') return;
        await this.#local('DELETE', `/_mailcap/keys/${key.id}`);
        key.revoked = true;
        return;
      }
    }
  }

  /** Requests every resource with every key. */
  async audit(): Promise<void> {
    for (const key of this.#keys) {
      if (key.revoked) {
        expect((await this.#ask(key, '/v1/mailboxes')).status).toBe(401);
        continue;
      }
      const listed = JSON.parse((await this.#ask(key, '/v1/mailboxes')).body);
      expect(
        listed.map(({ id, dailyInboundUsed }: { id: string; dailyInboundUsed: number }) => [id, dailyInboundUsed]),
      ).toEqual(this.#boxes.filter((box) => sees(key, box)).map(({ id, inbound }) => [id, inbound]));
      for (const box of this.#boxes) await this.#auditBox(key, box);
      for (const owner of this.#tenants) {
        for (const id of owner.authenticators) {
          const { status } = await this.#ask(key, `/v1/totp/${id}/code`);
          expect(status).toBe(owner === key.owner && key.boxes === 'all' ? 200 : 404);
        }
      }
    }
  }

  /** Puts in one more message as the newest event. Returns its id and its mailbox's id. */
  async mark(): Promise<{ id: string; mailboxId: string }> {
    await this.do({ kind: 'put a message in', box: 0 });
    const box = this.#box(0);
    return { id: box.messages.at(-1)?.id ?? '', mailboxId: box.id };
  }

  /**
   * Checks that an event of one workspace contains nothing of another. `of` is the mailbox that the feed was filtered
   * by, if any.
   */
  auditFeed(events: readonly FeedEvent[], of: string | null = null): void {
    for (const { type, workspaceId, data } of events) {
      const owner = this.#tenants.find(({ id }) => id === workspaceId);
      // The event belongs to a workspace of another test.
      if (owner === undefined) continue;
      if (of !== null) expect([type, data['mailboxId']]).toEqual([type, of]);
      const box = this.#boxes.find(({ id }) => id === data['mailboxId']);
      if (box !== undefined) expect(box.owner).toBe(owner);
      for (const other of this.#tenants) {
        if (other === owner) continue;
        expect(JSON.stringify(data), `${type}: a trace of another`).not.toMatch(
          new RegExp(`${other.token}|${other.id}`),
        );
      }
    }
  }

  async #auditBox(key: KnownKey, box: KnownBox): Promise<void> {
    const path = `/v1/mailboxes/${box.id}/messages`;
    const list = await this.#ask(key, path);
    if (!sees(key, box)) {
      expect([list.status, list.body]).toEqual([404, NOT_FOUND]);
      for (const { id } of box.messages) {
        const read = await this.#ask(key, `${path}/${id}`);
        expect([read.status, read.body]).toEqual([404, NOT_FOUND]);
        // The key cannot read the message through one of its own mailboxes either.
        const own = this.#boxes.find((other) => sees(key, other));
        if (own !== undefined)
          expect((await this.#ask(key, `/v1/mailboxes/${own.id}/messages/${id}`)).status).toBe(404);
      }
      return;
    }
    expect(JSON.parse(list.body).map(({ id }: KnownMessage) => id)).toEqual(box.messages.map(({ id }) => id).reverse());
    for (const { id, subject } of box.messages) {
      expect(JSON.parse((await this.#ask(key, `${path}/${id}`)).body)).toMatchObject({ id, subject });
    }
  }

  async #makeMailbox(owner: KnownTenant, idempotencyKey: number | null): Promise<void> {
    const name = `${owner.token}-${++this.#count}`;
    const headers = idempotencyKey === null ? {} : { 'idempotency-key': `key-${idempotencyKey}` };
    const path = `/v1/workspaces/${owner.id}/mailboxes`;
    const body = JSON.stringify({ name });
    const made = await ask(this.#server, { method: 'POST', path, key: owner.key, headers, body });
    expect(made.status).toBe(201);
    const before = idempotencyKey === null ? undefined : owner.answered.get(idempotencyKey);
    expect(made.headers.includes('Idempotency-Replayed')).toBe(before !== undefined);
    if (before !== undefined) {
      const first = JSON.parse(before);
      // The answer of a mailbox that was deleted has lost its texts.
      const isGone = !this.#boxes.some(({ id }) => id === first.id);
      expect(JSON.parse(made.body)).toEqual({ ...first, ...(isGone && { name: '', subdomain: '' }) });
      return;
    }
    if (idempotencyKey !== null) owner.answered.set(idempotencyKey, made.body);
    const { id, subdomain } = JSON.parse(made.body);
    expect(subdomain).toBe(name);
    this.#boxes.push({ id, subdomain, owner, messages: [], inbound: 0 });
  }

  async #makeInGroup(owner: KnownTenant, groupOf: KnownTenant): Promise<void> {
    const path = `/v1/workspaces/${owner.id}/mailboxes`;
    const body = JSON.stringify({ name: `${owner.token}-${++this.#count}`, groupId: groupOf.groupId });
    const made = await ask(this.#server, { method: 'POST', path, key: owner.key, body });
    if (groupOf !== owner) {
      expect([made.status, made.body]).toEqual([400, '{"error":"group_not_found"}']);
      return;
    }
    const { id, subdomain } = JSON.parse(made.body);
    this.#boxes.push({ id, subdomain, owner, messages: [], inbound: 0 });
  }

  /** Sends one mail to all mailboxes in one SMTP transaction. None of them may see the other recipients. */
  async #mail(boxes: readonly KnownBox[]): Promise<void> {
    const subject = this.#subject();
    const to = boxes.map(({ subdomain }) => `user@${subdomain}.mailcap.example.com`);
    expect(await this.#wire.mail(to, `To: list@x.test\r\nSubject: ${subject}\r\n\r\nhi`)).toMatch(/^250 /);
    for (const box of boxes) {
      const newest = await this.#server.api(`/v1/mailboxes/${box.id}/messages?limit=1`, {
        headers: { authorization: `Bearer ${box.owner.key}` },
      });
      const [message] = await json<Summary[]>(newest);
      expect(message?.subject).toBe(subject);
      if (message !== undefined) this.#arrived(box, message);
    }
  }

  async #wait(key: KnownKey, box: KnownBox): Promise<void> {
    const newest = box.messages.at(-1);
    // No message will arrive, so waiting would show no more than the list does.
    if (!key.revoked && sees(key, box) && newest === undefined) return;
    const answer = await this.#ask(key, `/v1/mailboxes/${box.id}/messages/await?timeout=1&since=${LONG_AGO}`);
    if (key.revoked) expect(answer.status).toBe(401);
    else if (!sees(key, box)) expect([answer.status, answer.body]).toEqual([404, NOT_FOUND]);
    else expect(JSON.parse(answer.body).id).toBe(newest?.id);
  }

  /** Any message id is a valid position, even a foreign one. It only tells where the page begins. */
  async #page(key: KnownKey, box: KnownBox, at: number): Promise<void> {
    const all = this.#boxes.flatMap(({ messages }) => messages);
    if (all.length === 0 || key.revoked) return;
    const before = pick(all, at).id;
    const answer = await this.#ask(key, `/v1/mailboxes/${box.id}/messages?before=${before}`);
    if (!sees(key, box)) {
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND]);
      return;
    }
    const older = box.messages.filter(({ id }) => id < before).map(({ id }) => id);
    expect(JSON.parse(answer.body).map(({ id }: KnownMessage) => id)).toEqual(older.reverse());
  }

  async #issueKey(owner: KnownTenant, which: readonly number[] | 'all'): Promise<void> {
    const own = this.#boxes.filter((box) => box.owner === owner);
    const boxes = which === 'all' || own.length === 0 ? 'all' : [...new Set(which.map((at) => pick(own, at)))];
    const request = boxes === 'all' ? {} : { scopes: { mailboxes: boxes.map(({ id }) => id), authenticators: [] } };
    const issued = await json<{ id: string; key: string }>(
      this.#server.api(`/_mailcap/workspaces/${owner.id}/keys`, { json: request }),
    );
    this.#keys.push({ owner, id: issued.id, text: issued.key, boxes, revoked: false });
  }

  /** Sends a request and checks that the answer contains nothing of other workspaces. */
  async #ask(key: KnownKey, path: string): Promise<Seen> {
    const seen = await ask(this.#server, { path, key: key.text });
    const others = this.#tenants.filter(({ token }) => token !== key.owner.token);
    const hidden = this.#boxes.filter((box) => !sees(key, box));
    const traces = [
      ...others.flatMap(({ token, id }) => [token, id]),
      ...hidden.flatMap(({ subdomain, id }) => [`@${subdomain}.`, `"${subdomain}"`, id]),
    ].filter((trace) => seen.body.includes(trace));
    expect(traces, `${path}: traces of other workspaces, or of mailboxes out of scope`).toEqual([]);
    return seen;
  }

  async #local(method: string, path: string): Promise<void> {
    expect((await this.#server.api(path, { method })).status).toBe(204);
  }

  #arrived(box: KnownBox, { id, subject }: Summary): void {
    box.messages.push({ id, subject: subject ?? '' });
    box.inbound++;
  }

  #subject(): string {
    return `subject ${++this.#count}.`;
  }

  #box(at: number): KnownBox {
    return pick(this.#boxes, at);
  }
}

function sees(key: KnownKey, box: KnownBox): boolean {
  return box.owner === key.owner && (key.boxes === 'all' || key.boxes.includes(box));
}

function pick<T>(from: readonly T[], at: number): T {
  const picked = from[at % from.length];
  if (picked === undefined) throw new Error('there is nothing to pick from');
  return picked;
}
