import type { MessageId } from '../domain/ids.ts';
import type { Parse } from '../mail/parse.ts';

interface Entry {
  readonly parse: Parse;
  readonly bytes: number;
}

/** Parsed mails with their attachments, the least recently asked for dropped first. The newest stays even where it is larger than the bound. */
export class ParseCache {
  readonly #entries = new Map<MessageId, Entry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(id: MessageId): Parse | null {
    const entry = this.#entries.get(id);
    if (entry === undefined) return null;
    // A Map keeps the order of insertion: the last is the latest asked for.
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.parse;
  }

  put(id: MessageId, parse: Parse): void {
    this.delete(id);
    const bytes = bytesOf(parse);
    this.#entries.set(id, { parse, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === id) return;
      this.delete(oldest);
    }
  }

  delete(id: MessageId): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#bytes -= entry.bytes;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

const OBJECT_BYTES = 1_000;

/** What it holds of memory, about: two bytes a character, and what the objects around the texts take. */
function bytesOf({ mail, contents }: Parse): number {
  let characters = (mail.textBody?.length ?? 0) + (mail.htmlBody?.length ?? 0);
  let objects = 1 + mail.attachments.length;
  for (const texts of Object.values(mail.headers)) {
    for (const text of typeof texts === 'string' ? [texts] : texts) characters += text.length;
    objects += 0.2;
  }
  return 2 * characters + objects * OBJECT_BYTES + contents.reduce((sum, content) => sum + content.length, 0);
}
