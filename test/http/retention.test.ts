import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/cli.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { startServer } from '../support/mailcap.ts';
import { putMail } from './support.ts';

const DAY_MS = 86_400_000;

/** Waits until a sweep is over, because the next one is then due in 25 seconds. */
const swept = (clock: ManualClock) => expect.poll(() => clock.dueIn).toContain(25_000);

/**
 * Lets a minute pass, in which two sweeps begin and end. What is written during the first one may leave deleted bytes in
 * the segment that is open, which only the second one can erase.
 */
async function passMinute(clock: ManualClock): Promise<void> {
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    clock.pass(30_000);
    await swept(clock);
  }
}

/** Returns whether any file below a directory contains the text. */
function isOnDisk(directory: string, text: string): boolean {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .some((path) => readFileSync(path).includes(text));
}

test('a message is gone from every answer the moment its window ends, and its bytes from disk within a minute', async () => {
  const dataDir = await temporaryDirectory();
  const clock = manualClock();
  await using server = await startServer({ ephemeral: false, dataDir, overrides: { clock } });
  const { id, retentionDays, address } = await server.addMailbox({ retentionDays: 3 });
  const secret = 'the bytes that are to leave the disk';
  const message = await putMail(server, id, { To: address() }, secret);
  const kept = await putMail(server, server.mailboxId, {}, 'these bytes stay for thirty days');
  const statuses = () =>
    Promise.all(
      [
        `/v1/mailboxes/${id}/messages/${message.id}`,
        `/_mailcap/messages/${message.id}`,
        `/_mailcap/messages/${message.id}/raw`,
      ].map(async (path) => (await server.api(path)).status),
    );
  const listed = async () => (await (await server.api(`/v1/mailboxes/${id}/messages`)).json()) as unknown[];

  clock.pass(0);
  await swept(clock);
  clock.follow(retentionDays * DAY_MS - 1);
  expect(await statuses()).toEqual([200, 200, 200]);
  expect(isOnDisk(dataDir, secret)).toBe(true);
  clock.follow(1);
  expect(await statuses()).toEqual([404, 404, 404]);
  expect(await listed()).toEqual([]);
  const soon = `/v1/mailboxes/${id}/messages/await?since=2000-01-01T00:00:00Z&timeout=1`;
  const waiting = server.api(soon);
  await expect.poll(() => server.ctx.waiters.size).toBe(1);
  clock.pass(1_000);
  expect((await waiting).status).toBe(204);

  await passMinute(clock);
  expect(isOnDisk(dataDir, secret)).toBe(false);
  expect((await server.api(`/v1/mailboxes/${server.mailboxId}/messages/${kept.id}`)).status).toBe(200);
  expect(isOnDisk(dataDir, 'these bytes stay for thirty days')).toBe(true);
});

test('a message that is deleted is gone at once, and its bytes from disk within a minute', async () => {
  const dataDir = await temporaryDirectory();
  const clock = manualClock();
  await using server = await startServer({ ephemeral: false, dataDir, overrides: { clock } });
  const secret = 'the bytes that somebody deleted';
  const message = await putMail(server, server.mailboxId, {}, secret);
  await putMail(server, server.mailboxId, {}, 'these bytes were not deleted');
  clock.pass(0);
  await swept(clock);
  expect((await server.api(`/_mailcap/messages/${message.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await server.api(`/_mailcap/messages/${message.id}/raw`)).status).toBe(404);
  await passMinute(clock);
  expect(isOnDisk(dataDir, secret)).toBe(false);
  expect(isOnDisk(dataDir, 'these bytes were not deleted')).toBe(true);
});
