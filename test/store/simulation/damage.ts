import { MESSAGE_KINDS } from '../../../src/domain/message.ts';
import { Draw } from './draw.ts';
import { Broken, type History } from './history.ts';
import { textOf } from './model.ts';
import { differences, type Picture, pictureOf, pictureOfModel, UNREADABLE } from './picture.ts';
import { listeningLog, type OpenStore, settled } from './recover.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import type { World } from './world.ts';

/** Rows of these tables exist only in the log, so a flipped bit can destroy one. */
const GROWING = ['messages', 'requests', 'sends', 'events', 'idempotency'];

/** A damage, and the history and the world of the store that suffered it. */
export interface Damage {
  readonly what: string;
  readonly history: History;
  readonly world: World;
  readonly open: OpenStore;
}

/**
 * Opens a store on a damaged disk and checks it. At most one record may be lost, and the log must report it. Nothing
 * may be altered, and everything else must be readable, also after reclaiming and another start. Returns the number of
 * lost rows. Throws {@link Broken}.
 */
export async function survey(disk: SimulatedDisk, damage: Damage): Promise<number> {
  const { open, world, what } = damage;
  const log = listeningLog();
  const store = await settled(open(disk, log), disk, `opening with ${what}`);
  const lost = lossesIn(await settled(pictureOf(store, world, 'shown'), disk, `reading with ${what}`), damage);
  const errors = log.said.filter(({ level }) => level === 'error').map(({ text }) => text);
  if (lost.size > 0 && !errors.some((text) => /\/data\/\S+ at byte \d+/.test(text)))
    throw new Broken(`${what}: ${[...lost].join()} lost, and no error names a file and a byte: ${errors.join(' / ')}`);
  for (let pass = 0; pass < 3; pass++) await settled(store.reclaim(), disk, `reclaiming with ${what}`).catch(() => {});
  const later = lossesIn(await pictureOf(store, world, 'shown'), damage);
  await settled(store.close(), disk, `closing with ${what}`);
  const next = disk.fork(new Draw(1));
  const again = await settled(open(next, listeningLog()), next, `opening again with ${what}`);
  const after = lossesIn(await settled(pictureOf(again, world, 'shown'), next, `reading again with ${what}`), damage);
  for (const row of [...later, ...after]) {
    if (!lost.has(row)) throw new Broken(`${what}: ${row} was served at first and was lost later`);
  }
  next.scheduler.die();
  return lost.size;
}

/**
 * Returns the rows that are missing or unreadable. Throws if they are more than one record, or if a row was altered.
 */
function lossesIn(found: Picture, { what, history, world }: Damage): Set<string> {
  const model = history.moment().acknowledged;
  const expected = pictureOfModel(model, world);
  const lost = new Set<string>();
  for (const [name, text] of expected) {
    const [table = ''] = name.split(' ');
    const is = found.get(name);
    if (is === text || (isListOfKind(table) && is === withoutLost(text, found))) continue;
    const isLost = is === undefined || is.includes(UNREADABLE) || wasOnce(history, name, is);
    if (GROWING.includes(table) && isLost) lost.add(name);
    else if (!isCounted(table)) throw new Broken(`${what}: ${name} is ${is} and must be ${text}`);
  }
  for (const name of found.keys())
    if (!expected.has(name)) throw new Broken(`${what}: ${name} is there and must not be`);
  if (lost.size === 0) {
    const lines = differences(expected, found);
    if (lines.length > 0) throw new Broken(`${what}: nothing is lost, and ${lines[0]}`);
  }
  if (lost.size > 1 && !isOneRecord(lost, damageOf(history))) throw new Broken(`${what}: lost are ${[...lost].join()}`);
  return lost;
}

/** Tells whether a row had this text in an earlier transaction. The record of a later change can be the one that was hit. */
function wasOnce({ acknowledged }: History, name: string, text: string): boolean {
  return acknowledged
    .flat()
    .some(([table, id, row]) => `${table} ${id}` === name && row !== null && textOf(row) === text);
}

/** Tells whether a table holds the ids of the messages of a kind, which are listed apart. */
function isListOfKind(table: string): boolean {
  return MESSAGE_KINDS.some((kind) => kind === table);
}

/** Returns a list of ids without those whose messages are lost. */
function withoutLost(ids: string, found: Picture): string {
  return ids
    .split(',')
    .filter((id) => found.has(`messages ${id}`))
    .join();
}

/**
 * Returns whether a table holds counts. They follow from the remaining rows, or a lost transaction would have changed
 * them.
 */
function isCounted(table: string): boolean {
  return [
    'storedBytes',
    'count',
    'counts',
    'feed',
    'pending',
    'inbound',
    'outbound',
    'captured',
    'unread',
    'tags',
  ].includes(table);
}

/** Returns the rows that depend on each transaction and on each blob. */
function damageOf(history: History): Set<string>[] {
  const groups = history.acknowledged.map((changes) => new Set(changes.map(([table, id]) => `${table} ${id}`)));
  const byBlob = new Map<string, Set<string>>();
  for (const [table, id, row] of history.acknowledged.flat()) {
    if (row === null) continue;
    for (const field of ['raw', 'facts', 'headers', 'body', 'forwardResponse']) {
      const blob: unknown = Reflect.get(row, field);
      if (typeof blob !== 'string') continue;
      const rows = byBlob.get(blob) ?? new Set();
      byBlob.set(blob, rows.add(`${table} ${id}`));
    }
  }
  return [...groups, ...byBlob.values()];
}

function isOneRecord(lost: ReadonlySet<string>, groups: readonly Set<string>[]): boolean {
  return groups.some((group) => [...lost].every((row) => group.has(row)));
}
