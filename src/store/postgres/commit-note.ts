import type { KeyId, MailboxId, WebhookId } from '../../domain/ids.ts';
import type { Commit } from '../../ports/store.ts';

/** The maximum length of a note in characters. PostgreSQL takes payloads of less than 8,000 bytes. */
const LONGEST = 7_900;

/** The commit for listeners that must read everything again, because it is not known which rows changed. */
export const ANYTHING: Commit = {
  mailboxIds: new Set(),
  keyIds: new Set(),
  webhookIds: new Set(),
  feed: true,
  sends: true,
  clocks: true,
  all: true,
};

/** A message from one server to the others about a commit. */
export interface Note {
  readonly server: number;
  readonly commit: Commit;
  /** Tells whether the commit changed a setting. */
  readonly settings: boolean;
}

/**
 * Encodes a note as the payload of a notification. A note that would be too long tells only that anything may have
 * changed.
 */
export function writeNote({ server, commit, settings }: Note): string {
  const { mailboxIds, keyIds, webhookIds, feed, sends, clocks } = commit;
  const ids = { mailboxes: [...mailboxIds], keys: [...keyIds], webhooks: [...webhookIds] };
  const note = JSON.stringify({ server, ...ids, feed, sends, clocks, settings });
  return note.length > LONGEST ? JSON.stringify({ server, all: true, settings }) : note;
}

/** Decodes a note. A payload that this version does not understand counts as "anything may have changed". */
export function readNote(payload: string): Note {
  const note = parsed(payload);
  const server = typeof note['server'] === 'number' ? note['server'] : -1;
  const settings = note['settings'] === true || server < 0;
  if (note['all'] === true || server < 0) return { server, commit: ANYTHING, settings };
  return {
    server,
    commit: {
      // The casts are safe: only servers of this store write notes, with ids of the named kind.
      mailboxIds: new Set(listOf(note['mailboxes']) as MailboxId[]),
      keyIds: new Set(listOf(note['keys']) as KeyId[]),
      webhookIds: new Set(listOf(note['webhooks']) as WebhookId[]),
      feed: note['feed'] === true,
      sends: note['sends'] === true,
      clocks: note['clocks'] === true,
      all: false,
    },
    settings,
  };
}

function parsed(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
