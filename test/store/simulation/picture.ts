import { type FeedItem, feedIdOf } from '../../../src/domain/event.ts';
import type { EventId } from '../../../src/domain/ids.ts';
import { sortedTags, type TagCount } from '../../../src/domain/marks.ts';
import { type BlobRef, kindOf, MESSAGE_KINDS } from '../../../src/domain/message.ts';
import { collectionId, PROVIDER_NAMES } from '../../../src/domain/provider.ts';
import { utcDay } from '../../../src/domain/time.ts';
import type { Store } from '../../../src/ports/store.ts';
import { at } from '../../support/moment.ts';
import { digest, type Model, textOf } from './model.ts';
import { RECORD_KINDS, type World } from './world.ts';

/** A time before anything expires. */
const BEFORE_ALL = 0;
const ALL = 1_000_000;
const FEED_PAGE = 7;

/** The whole readable contents of a store as texts by name. Equal contents, bytes included, give equal pictures. */
export type Picture = ReadonlyMap<string, string>;

/** Stands for bytes that could not be read. */
export const UNREADABLE = 'unreadable' as BlobRef;

/** Reads everything from a store in every possible way. Unreadable bytes throw, or appear as {@link UNREADABLE}. */
export async function pictureOf(
  store: Store,
  world: World,
  unreadable: 'throws' | 'shown' = 'throws',
): Promise<Picture> {
  const { read } = store;
  const picture = new Map<string, string>();
  const show = <Row extends { readonly id: string }>(name: string, row: Row) =>
    picture.set(`${name} ${row.id}`, textOf(row));
  const bytes = digests(store, unreadable === 'shown');
  let messages = 0;
  let mailboxes = 0;
  for (const workspace of await read.workspaces.list()) {
    const { id } = workspace;
    show('workspaces', workspace);
    for (const key of await read.keys.list(id)) show('keys', key);
    for (const group of await read.groups.list(id)) show('groups', group);
    for (const authenticator of await read.authenticators.list(id)) show('authenticators', authenticator);
    for (const identity of await read.identities.list(id)) show('identities', identity);
    for (const entry of await read.suppression.list(id)) show('suppression', entry);
    for (const kind of RECORD_KINDS)
      for (const name of PROVIDER_NAMES)
        for (const record of await read.providerRecords.list(collectionId(id, name, kind), { limit: ALL }))
          show('providerRecords', record);
    picture.set(`storedBytes ${id}`, String(await read.workspaces.storedBytes(id)));
    picture.set(`outbound ${id}`, await counts(world, (day) => read.workspaces.outboundUsed(id, day)));
    for (const mailbox of await read.mailboxes.list(id)) {
      mailboxes++;
      show('mailboxes', mailbox);
      const claimed = await read.mailboxes.addresses(mailbox.id);
      const takers = await Promise.all(claimed.map((address) => read.mailboxes.byAddress(address)));
      picture.set(`claims ${mailbox.id}`, `${claimed.join()} ${takers.every((taker) => taker?.id === mailbox.id)}`);
      const used = await counts(world, (day) => read.mailboxes.inboundUsed(mailbox.id, day));
      picture.set(`inbound ${mailbox.id}`, `${await read.messages.lastId(mailbox.id)} ${used}`);
      const rows = await read.messages.after(mailbox.id, null, ALL, at(BEFORE_ALL));
      messages += rows.length;
      picture.set(`count ${mailbox.id}`, `${await read.messages.count(mailbox.id, at(BEFORE_ALL))} of ${rows.length}`);
      picture.set(`unread ${mailbox.id}`, String(await read.messages.countUnread(mailbox.id, at(BEFORE_ALL))));
      for (const kind of MESSAGE_KINDS) {
        const page = await read.messages.page(mailbox.id, { kind, limit: ALL, now: at(BEFORE_ALL) });
        picture.set(`${kind} ${mailbox.id}`, page.map(({ id }) => id).join());
      }
      for (const message of rows)
        show('messages', { ...message, raw: await bytes(message.raw), facts: await bytes(message.facts) });
    }
    picture.set(`tags ${id}`, writtenTags((await read.messages.tags(id, at(BEFORE_ALL))).list()));
    for (const webhook of await read.webhooks.list(id)) {
      show('webhooks', webhook);
      picture.set(`scripts ${webhook.id}`, JSON.stringify(await read.webhooks.responses(webhook.id)));
      picture.set(`captured ${webhook.id}`, String(await read.webhooks.lastRequestAt(webhook.id)));
      const rows = await read.requests.page(webhook.id, { page: 1, pageSize: ALL, now: at(BEFORE_ALL) });
      picture.set(`count ${webhook.id}`, `${await read.requests.count(webhook.id, at(BEFORE_ALL))} of ${rows.length}`);
      for (const request of rows) {
        show('requests', {
          ...request,
          headers: await bytes(request.headers),
          body: await bytes(request.body),
          forwardResponse: await bytes(request.forwardResponse),
        });
      }
    }
  }
  for (const send of await read.sends.list({ limit: ALL })) show('sends', { ...send, raw: await bytes(send.raw) });
  for (const id of world.idempotencyIds) {
    const record = await read.idempotency.get(id);
    if (record !== null) show('idempotency', record);
  }
  picture.set('settings clock', String(await read.settings.clockOffsetMs()));
  picture.set('pending sends', (await read.sends.pending(null, ALL)).map(({ id }) => id).join());
  picture.set('due records', idsOf(await read.providerRecords.due()));
  picture.set('pending requests', (await read.requests.pending(null, ALL)).map(({ id }) => id).join());
  const feed = await feedOf(store);
  for (const item of feed) if (item.kind === 'event') show('events', item.event);
  picture.set('feed', feed.map(feedIdOf).join());
  const total = await read.counts();
  picture.set('counts', `${total.workspaces} ${mailboxes === total.mailboxes} ${messages === total.messages}`);
  return picture;
}

/** Returns the picture that a store with the model's contents must have. */
export function pictureOfModel(model: Model, world: World): Picture {
  const picture = new Map<string, string>();
  for (const name of ROWS) for (const row of model.all(name)) picture.set(`${name} ${row.id}`, textOf(row));
  const messages = model.all('messages');
  for (const { id } of model.all('workspaces')) {
    const stored = messages.filter(({ workspaceId }) => workspaceId === id);
    picture.set(`storedBytes ${id}`, String(stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)));
    picture.set(`outbound ${id}`, onDays(world, model.get('outbound', id)?.used));
    const tags = stored.flatMap((message) => message.tags);
    const counts = sortedTags(tags).map((name) => ({ name, count: tags.filter((tag) => tag === name).length }));
    picture.set(`tags ${id}`, writtenTags(counts));
  }
  for (const { id } of model.all('mailboxes')) {
    const inbound = model.get('inbound', id);
    const own = messages.filter(({ mailboxId }) => mailboxId === id);
    const count = own.length;
    picture.set(`claims ${id}`, `${model.get('claims', id)?.addresses.join() ?? ''} true`);
    picture.set(`inbound ${id}`, `${inbound?.lastId ?? null} ${onDays(world, inbound?.used)}`);
    picture.set(`count ${id}`, `${count} of ${count}`);
    for (const kind of MESSAGE_KINDS) {
      const ofKind = own.filter((message) => kindOf(message) === kind).map((message) => message.id);
      picture.set(`${kind} ${id}`, ofKind.sort().reverse().join());
    }
    picture.set(`unread ${id}`, String(own.filter(({ isRead }) => !isRead).length));
  }
  const requests = model.all('requests');
  for (const { id } of model.all('webhooks')) {
    const count = requests.filter(({ webhookId }) => webhookId === id).length;
    picture.set(`scripts ${id}`, JSON.stringify(model.get('scripts', id)?.responses ?? []));
    picture.set(`captured ${id}`, String(model.get('captured', id)?.lastRequestAt ?? null));
    picture.set(`count ${id}`, `${count} of ${count}`);
  }
  const pending = model.all('sends').filter(({ recipients }) => recipients.some(({ state }) => state === 'queued'));
  picture.set('settings clock', String(model.get('settings', 'clock')?.value ?? 0));
  picture.set('pending sends', pending.map(({ id }) => id).join());
  picture.set('due records', idsOf(model.all('providerRecords').filter(({ dueAt }) => dueAt !== undefined)));
  picture.set(
    'pending requests',
    requests
      .filter(({ forwardStatus }) => forwardStatus === 'pending')
      .map(({ id }) => id)
      .join(),
  );
  picture.set('feed', model.feedIds().join());
  picture.set('counts', `${model.all('workspaces').length} true true`);
  return picture;
}

function writtenTags(tags: readonly TagCount[]): string {
  return tags.map(({ name, count }) => `${name}:${count}`).join();
}

/** Returns the differences of two pictures as lines, or none if they are equal. */
export function differences(expected: Picture, found: Picture): string[] {
  const lines: string[] = [];
  for (const [name, text] of expected) {
    const other = found.get(name);
    if (other === undefined) lines.push(`missing: ${name} ${text}`);
    else if (other !== text) lines.push(`differs: ${name}\n    must be ${text}\n    and is  ${other}`);
  }
  for (const [name, text] of found) if (!expected.has(name)) lines.push(`must not be there: ${name} ${text}`);
  return lines;
}

/** Lists ids in their order. Which of them comes first when is no promise of the store. */
function idsOf(rows: readonly { readonly id: string }[]): string {
  return rows
    .map(({ id }) => id)
    .sort()
    .join();
}

const ROWS = [
  'workspaces',
  'keys',
  'groups',
  'authenticators',
  'identities',
  'suppression',
  'mailboxes',
  'webhooks',
  'messages',
  'requests',
  'sends',
  'providerRecords',
  'events',
  'idempotency',
] as const;

/** Reads the feed page by page, as subscribers do. */
async function feedOf(store: Store): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  for (let after: EventId | null = null; ; ) {
    const page: FeedItem[] = await store.read.events.list({ after, limit: FEED_PAGE, now: at(BEFORE_ALL) });
    items.push(...page);
    const last = page.at(-1);
    if (last === undefined) return items;
    after = feedIdOf(last);
  }
}

/** Returns a function that reads each blob once and returns its digest. */
function digests(store: Store, tolerant: boolean): (ref: BlobRef | null) => Promise<BlobRef | null> {
  const known = new Map<BlobRef, BlobRef>();
  const read = (ref: BlobRef) =>
    store.blobs.read(ref).then(digest, (error: unknown) => {
      if (tolerant) return UNREADABLE;
      throw error;
    });
  return async (ref) => {
    if (ref === null) return null;
    const found = known.get(ref) ?? (await read(ref));
    known.set(ref, found);
    return found;
  };
}

async function counts(world: World, on: (day: number) => Promise<number>): Promise<string> {
  const found: string[] = [];
  for (const day of world.days) found.push(`${utcDay(day)}:${await on(day)}`);
  return found.join();
}

function onDays(world: World, used: Readonly<Record<string, number>> = {}): string {
  return world.days.map((day) => `${utcDay(day)}:${used[utcDay(day)] ?? 0}`).join();
}
