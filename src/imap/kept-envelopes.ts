import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';

/** The room for envelopes, in bytes. About 100,000 of usual mails fit. */
const ROOM_BYTES = 48 * 1024 * 1024;
/** The bytes that an envelope takes besides its characters, for its id and its place in the map. */
const ENTRY_BYTES = 150;
const KEPT_MS = 60_000;

/**
 * The envelopes that were written within the last minute. Clients of parallel tests ask for those of the same messages
 * again and again, and to write one takes ten times as long as to send it.
 */
export class KeptEnvelopes {
  readonly #envelopes = new Map<MessageId, string>();
  #bytes = 0;

  get(id: MessageId): string | undefined {
    return this.#envelopes.get(id);
  }

  /** Keeps an envelope if there is room. All go after a minute, so that no text of deleted mail stays. */
  keep({ clock }: Pick<Context, 'clock'>, id: MessageId, envelope: string): void {
    const bytes = envelope.length + ENTRY_BYTES;
    if (this.#bytes + bytes > ROOM_BYTES || this.#envelopes.has(id)) return;
    if (this.#envelopes.size === 0) clock.after(KEPT_MS, () => this.#drop());
    this.#envelopes.set(id, envelope);
    this.#bytes += bytes;
  }

  #drop(): void {
    this.#envelopes.clear();
    this.#bytes = 0;
  }
}
