import { expect, test } from 'vitest';
import { byDay, IS_NIGHT } from '../../support/night.ts';
import { removalOf } from './cascade.ts';
import { Draw } from './draw.ts';
import { checkThatItWas, everythingThatWas, ROWS } from './ever.ts';
import { openTinyStore } from './files.ts';
import { furnish } from './furnished.ts';
import { removeMessage } from './mail-steps.ts';
import { digest } from './model.ts';
import { openWorkspace } from './other-steps.ts';
import { pictureOf, pictureOfModel } from './picture.ts';
import { listeningLog, recover, settled } from './recover.ts';
import { insertMessage } from './stage.ts';

/** The tested suffixes of each file grow by this number of bytes. */
const STRIDE = Number(process.env['MAILCAP_SIMULATION_STRIDE'] ?? (IS_NIGHT ? 211 : 421));

test.each(['finished', 'broken off'] as const)(
  "bytes of the store's own files, %s, change nothing but their own record",
  async (end) => {
    const { disk, store, history, world, stage } = await furnish(openTinyStore, 9, 40);
    await openWorkspace(stage(50));
    const bodies = [...disk.files().values()].flatMap((file) => {
      const lengths = Array.from({ length: Math.ceil(file.length / STRIDE) }, (_, i) => i * STRIDE + 1);
      return [file, ...lengths.map((length) => file.subarray(-length))];
    });
    for (const body of bodies) {
      if (end === 'finished') {
        const refs = [await store.blobs.put(body), await store.blobs.put(body)] as const;
        const blob = (ref: (typeof refs)[number]) => ({ ref, digest: digest(body), size: body.length });
        await history.transact(store, async (transaction) => {
          const [mailbox] = transaction.model.all('mailboxes');
          if (mailbox === undefined) throw new Error('no mailbox');
          const mail = { mark: body.toString('latin1', 0, 600), raw: blob(refs[0]), facts: blob(refs[1]) };
          await insertMessage(transaction, stage(1), mailbox, mail);
        });
      } else {
        await store.blobs.writer().write(body);
        await store.blobs.put(body);
      }
    }
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
    const trial = { open: openTinyStore, world };
    const left = disk.kill(new Draw(3));
    const { model } = await recover(left, history.moment(), trial);
    expect(model.all('messages').length).toBe(history.moment().acknowledged.all('messages').length);
    expect(bodies.length).toBeGreaterThan(100);
  },
  120_000,
);

test('such bytes are no structure even if their own header is damaged', async () => {
  const open: typeof openTinyStore = (disk, logger) => openTinyStore(disk, logger, 'one boot');
  const { disk, store, history, world, stage } = await furnish(open, 9, 40);
  await openWorkspace(stage(50));
  const files = [...disk.files().values()];
  for (const body of files) {
    const ref = await store.blobs.put(body);
    await history.transact(store, async (transaction) => {
      const [mailbox] = transaction.model.all('mailboxes');
      if (mailbox === undefined) throw new Error('no mailbox');
      const blob = { ref, digest: digest(body), size: body.length };
      await insertMessage(transaction, stage(1), mailbox, { mark: String(body.length), raw: blob, facts: blob });
    });
  }
  await store.close();
  const known = everythingThatWas(history, world);
  const left = disk.kill(new Draw(3));
  const logs = [...left.files()].filter(([path]) => path.endsWith('.log'));
  // Rows were removed since those bytes were written: one that is back, or a second of its name, was believed from a content.
  const gone = [...pictureOfModel(history.moment().acknowledged, world).keys()];
  let sectors = 0;
  for (const [path, { length }] of logs) {
    for (let sector = 0; sector * 512 < length; sector++) {
      const damaged = left.fork(new Draw(sector));
      damaged.zeroSector(path, sector);
      const what = `sector ${sector} of ${path} zeroed`;
      const again = await settled(open(damaged, listeningLog()), damaged, `opening with ${what}`);
      const found = await settled(pictureOf(again, world, 'shown'), damaged, `reading with ${what}`);
      checkThatItWas(found, known, what);
      const forged = [...found.keys()].filter((row) => ROWS.test(row) && !gone.includes(row));
      expect(forged, what).toEqual([]);
      await settled(again.close(), damaged, `closing with ${what}`);
      damaged.scheduler.die();
      sectors++;
    }
  }
  expect(sectors).toBeGreaterThan(100);
}, 120_000);

test.each(byDay([1, 2, 3, 4, 5, 6], (seed) => seed <= 2))(
  'after three reclaims deleted data is nowhere on the disk, and stored data is (seed %i)',
  async (seed) => {
    const { disk, store, history, stage } = await furnish(openTinyStore, seed, 60);
    for (let i = 0; i < 4; i++) await removeMessage(stage(100 + i));
    await history.transact(store, async (body) => {
      const [first] = body.model.all('mailboxes');
      if (first === undefined) return;
      const doomed = body.model.all('messages').filter(({ mailboxId }) => mailboxId === first.id);
      await body.tx.messages.removeAll(first.id);
      body.change(...removalOf('messages', doomed));
    });
    for (let pass = 0; pass < 3; pass++) await store.reclaim();
    const model = history.moment().acknowledged;
    // Each mail has its mark in its subject and in its bytes.
    const living = new Set(model.all('messages').map(({ subject }) => subject));
    const ever = history.acknowledged
      .flat()
      .flatMap(([table, , row]) => (table === 'messages' && row !== null ? [row.subject] : []));
    const dead = new Set(ever.filter((subject) => !living.has(subject)));
    // A waiting send keeps the bytes of its message.
    const waiting = new Set(model.all('sends').flatMap(({ raw }) => (raw === null ? [] : [raw])));
    for (const [table, , row] of history.acknowledged.flat())
      if (table === 'messages' && row !== null && waiting.has(row.raw)) dead.delete(row.subject);
    const found = (subject: string | null) =>
      [...disk.files()].filter(([, bytes]) => bytes.includes(subject ?? '')).map(([path]) => path);
    expect(dead.size).toBeGreaterThan(3);
    expect(
      Object.fromEntries([...dead].map((subject) => [subject, found(subject)]).filter(([, paths]) => paths?.length)),
    ).toEqual({});
    for (const subject of living) expect(found(subject)).not.toEqual([]);
    await store.close();
  },
);
