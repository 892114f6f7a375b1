import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { at } from '../support/moment.ts';
import { asKilled, logFiles, newDirectory, open, picture, recordingLog, SMALL } from './directory.ts';
import { aKey, anAuthenticator, aPlace, deliver, deliverBlob, NOON } from './rows.ts';

test.each([SMALL, 16 * 1024 * 1024])(
  'after a reopen everything is as before (segments of %i bytes)',
  async (segmentBytes) => {
    const directory = newDirectory();
    const store = await open(directory, { segmentBytes });
    const { workspace, mailbox } = await aPlace(store);
    const { mailbox: other } = await aPlace(store);
    await store.transaction((tx) => tx.keys.insert(aKey(workspace.id), 5));
    await store.transaction((tx) => tx.authenticators.insert(anAuthenticator(workspace.id)));
    await store.transaction((tx) => tx.mailboxes.setAddresses(other.id, ['alice@email.com', '*@acme.test']));
    await store.transaction((tx) => tx.settings.setClockOffsetMs(5_000));
    for (let i = 0; i < 60; i++) await deliver(store, i % 2 ? mailbox : other, Buffer.alloc(2_000, i));
    const writer = store.blobs.writer();
    for (let i = 0; i < 5; i++) await writer.write(Buffer.alloc(50_000, i));
    await deliverBlob(store, mailbox, await writer.finish(), 250_000);
    const first = (await store.read.messages.after(mailbox.id, null, 1, at(NOON)))[0];
    if (first !== undefined) await store.transaction((tx) => tx.messages.remove(first.id));
    await store.transaction((tx) => tx.messages.removeAll(other.id));
    await deliver(store, other);
    const before = await picture(store);
    await store.close();
    for (let i = 0; i < 3; i++) {
      const again = await open(directory, { segmentBytes });
      expect(await picture(again)).toEqual(before);
      expect(await again.read.settings.clockOffsetMs()).toBe(5_000);
      expect(await again.read.mailboxes.byAddress('any@acme.test')).toEqual(other);
      await again.close();
    }
  },
);

test('a torn tail is cut off, and all acknowledged data is there', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox } = await aPlace(store);
  for (let i = 0; i < 5; i++) await deliver(store, mailbox, Buffer.alloc(500, i));
  const before = await picture(store);
  const file = logFiles(directory).at(-1) ?? '';
  const whole = readFileSync(file);
  await store.close();
  // These tails cover every way to tear a record: a part of a header, a part of a payload, and a payload of zeros.
  for (const tail of [
    whole.subarray(16, 20),
    whole.subarray(16, 30),
    Buffer.alloc(700),
    Buffer.from([5, 0, 0, 0, 1, 2, 3, 4, 2, 9, 9, 9, 9, 9]),
  ]) {
    appendFileSync(file, tail);
    const log = recordingLog();
    const again = await open(directory, { log });
    expect(await picture(again)).toEqual(before);
    expect(log.lines.join()).toContain('cut off');
    await again.close();
    expect(readFileSync(file).equals(whole)).toBe(true);
  }
});

test('a log that a crash cut at any byte opens, has a prefix of what was written, and accepts more', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const { mailbox } = await aPlace(store);
  const file = logFiles(directory).at(-1) ?? '';
  const sizes: number[] = [];
  for (let i = 0; i < 4; i++) {
    await deliver(store, mailbox, Buffer.alloc(100, i));
    sizes.push(statSync(file).size);
  }
  for (let cut = sizes.at(-1) ?? 0; cut > (sizes[0] ?? 0); cut -= 37) {
    const copy = asKilled(directory);
    truncateSync(logFiles(copy).at(-1) ?? '', cut);
    const again = await open(copy);
    const expected = sizes.filter((size) => size <= cut).length;
    expect(await again.read.messages.count(mailbox.id, at(NOON))).toBe(expected);
    const next = await deliver(again, mailbox);
    await again.close();
    const third = await open(copy);
    expect(await third.read.messages.get(next.id, at(NOON))).toEqual(next);
    expect(await third.read.messages.count(mailbox.id, at(NOON))).toBe(expected + 1);
    await third.close();
  }
  await store.close();
});

test('a truncated older segment loses only its missing part, is reported, and is never deleted', async () => {
  const directory = newDirectory();
  const store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  const sent = [];
  for (let i = 0; i < 40; i++) sent.push(await deliver(store, mailbox, Buffer.alloc(3_000, i)));
  await store.close();
  const victim = logFiles(directory)[1] ?? '';
  truncateSync(victim, Math.floor(statSync(victim).size / 2) + 7);
  const log = recordingLog();
  const again = await open(directory, { segmentBytes: SMALL, log });
  const left = await again.read.messages.after(mailbox.id, null, 100, at(NOON));
  expect(left.length).toBeLessThan(40);
  expect(left.length).toBeGreaterThan(30);
  for (const message of left) expect((await again.blobs.read(message.raw)).length).toBe(3_000);
  expect(log.lines.join('\n')).toMatch(/00000002\.log at byte \d+ is too short: \d+ bytes at its end are missing/);
  await again.transaction((tx) => tx.messages.removeAll(mailbox.id));
  await again.reclaim();
  expect(existsSync(victim)).toBe(true);
  await again.close();
});

test('a missing segment costs only its own messages', async () => {
  const directory = newDirectory();
  const store = await open(directory, { segmentBytes: SMALL });
  const { mailbox } = await aPlace(store);
  for (let i = 0; i < 40; i++) await deliver(store, mailbox, Buffer.alloc(3_000, i));
  await store.close();
  rmSync(logFiles(directory)[1] ?? '');
  const again = await open(directory, { segmentBytes: SMALL });
  const left = await again.read.messages.after(mailbox.id, null, 100, at(NOON));
  expect(left.length).toBeGreaterThan(20);
  for (const message of left) expect((await again.blobs.read(message.raw)).length).toBe(3_000);
  await again.close();
});

test('a snapshot that is missing, empty, truncated, invalid, of another format, or a directory is refused with what to do', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  await aPlace(store);
  await store.close();
  const state = join(directory, 'state.json');
  const snapshot = readFileSync(state, 'utf8');
  const remedy = `copy ${join(directory, 'state.copy.json')} over it, or start anew with another --data-dir`;
  const replacements: readonly [() => void, string][] = [
    [() => {}, `${state} is missing, and the log beside it can't be read without it; ${remedy}`],
    [() => writeFileSync(state, ''), `${state} is empty; ${remedy}`],
    [() => writeFileSync(state, snapshot.slice(0, 100)), `${state} is cut short or damaged; ${remedy}`],
    [() => writeFileSync(state, snapshot.slice(0, -1)), `${state} is cut short or damaged; ${remedy}`],
    [() => writeFileSync(state, '[]'), `${state} is no snapshot of mailcap; ${remedy}`],
    [() => writeFileSync(state, '{"name":"x"}'), `${state} is no snapshot of mailcap; ${remedy}`],
    [() => writeFileSync(state, 'null'), `${state} is no snapshot of mailcap; ${remedy}`],
    [() => writeFileSync(state, '{"format":12}'), `${state} is of format 12, this mailcap reads format 3;`],
    [() => mkdirSync(state), `${state} is no file; move it away, then ${remedy}`],
  ];
  for (const [replace, message] of replacements) {
    rmSync(state);
    replace();
    await expect(open(directory)).rejects.toMatchObject({
      code: 'STORE_FORMAT',
      message: expect.stringContaining(message),
    });
    rmSync(state, { recursive: true, force: true });
    writeFileSync(state, snapshot);
  }
  await (await open(directory)).close();
});
