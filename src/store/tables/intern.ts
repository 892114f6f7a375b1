import type { Message } from '../../domain/message.ts';

/** How many texts are remembered; when full it starts anew, so that no sender can make it grow. */
const REMEMBERED = 4_096;

/** Test suites send from the same few addresses to the same few mailboxes: a text held by many rows is kept once. */
export class Interner {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();

  /** The same row with the texts it shares with others. */
  message(message: Message): Message {
    return {
      ...message,
      workspaceId: this.#text(message.workspaceId),
      mailboxId: this.#text(message.mailboxId),
      from: message.from === null ? null : this.#text(message.from),
      to: message.to === null ? null : this.#text(message.to),
      cc: message.cc === null ? null : this.#text(message.cc),
      subject: message.subject === null ? null : this.#text(message.subject),
      mailFrom: this.#text(message.mailFrom),
      rcptTo: this.#list(message.rcptTo),
    };
  }

  #text<Text extends string>(text: Text): Text {
    const known = this.#texts.get(text);
    // Equal texts are of the same type.
    if (known !== undefined) return known as Text;
    if (this.#texts.size >= REMEMBERED) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  #list(list: readonly string[]): readonly string[] {
    const [only] = list;
    if (only === undefined || list.length > 1) return list.map((text) => this.#text(text));
    const known = this.#lists.get(only);
    if (known !== undefined) return known;
    if (this.#lists.size >= REMEMBERED) this.#lists.clear();
    const single = [this.#text(only)];
    this.#lists.set(only, single);
    return single;
  }
}
