import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { lockDirectory } from '../../src/adapters/directory-lock.ts';
import type { Disk } from '../../src/ports/storage.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Log } from '../../src/ports/system.ts';
import { openFileStore } from '../../src/store/file/store.ts';
import { at } from '../support/moment.ts';
import { NOON } from './rows.ts';

/** A segment size that a few mails fill. */
export const SMALL = 32_768;

/** Makes a directory that is removed when the test ends. */
export function newDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'mailcap-store-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const logFiles = (directory: string) =>
  readdirSync(join(directory, 'segments'))
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => join(directory, 'segments', name));
/** Copies a directory that a store has open, in the state that a kill would leave now. */
export function asKilled(directory: string): string {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  return copy;
}
export const bytesIn = (directory: string) => logFiles(directory).reduce((sum, path) => sum + statSync(path).size, 0);

export function recordingLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const say = (message: string) => void lines.push(message);
  return { lines, error: say, warn: say, info: say, debug: say };
}

/** Opens a store with the lock of its directory, as the server does. */
export async function open(
  directory: string,
  options: { segmentBytes?: number; disk?: Disk; log?: Log } = {},
): Promise<Store> {
  const { log = recordingLog(), ...rest } = options;
  const lock = await lockDirectory(directory);
  try {
    return await openFileStore({ directory, durability: 'fsync', lock, ...rest }, log);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Returns everything that can be read from a store, including bytes. */
export async function picture(store: Store, now = NOON): Promise<unknown> {
  const workspaces = await store.read.workspaces.list();
  return Promise.all(
    workspaces.map(async (workspace) => ({
      workspace,
      storedBytes: await store.read.workspaces.storedBytes(workspace.id),
      keys: await store.read.keys.list(workspace.id),
      groups: await store.read.groups.list(workspace.id),
      authenticators: await store.read.authenticators.list(workspace.id),
      sends: await Promise.all(
        (await store.read.sends.list({ workspaceId: workspace.id, limit: 100_000 })).map(async ({ raw, ...send }) => ({
          send,
          raw: raw === null ? null : (await store.blobs.read(raw)).toString('latin1'),
        })),
      ),
      webhooks: await Promise.all(
        (await store.read.webhooks.list(workspace.id)).map(async (webhook) => ({
          webhook,
          responses: await store.read.webhooks.responses(webhook.id),
          requests: await Promise.all(
            (await store.read.requests.page(webhook.id, { page: 1, pageSize: 100_000, now: at(now) })).map(
              async ({ headers, body, forwardResponse, ...request }) => ({
                request,
                blobs: await Promise.all(
                  [headers, body, forwardResponse].map(async (ref) =>
                    ref === null ? null : (await store.blobs.read(ref)).toString('latin1'),
                  ),
                ),
              }),
            ),
          ),
        })),
      ),
      mailboxes: await Promise.all(
        (await store.read.mailboxes.list(workspace.id)).map(async (mailbox) => ({
          mailbox,
          used: await store.read.mailboxes.inboundUsed(mailbox.id, now),
          lastId: await store.read.messages.lastId(mailbox.id),
          messages: await Promise.all(
            (await store.read.messages.after(mailbox.id, null, 100_000, at(now))).map(
              async ({ raw, facts, ...message }) => ({
                message,
                raw: (await store.blobs.read(raw)).toString('latin1'),
                facts: (await store.blobs.read(facts)).toString(),
              }),
            ),
          ),
        })),
      ),
    })),
  );
}
