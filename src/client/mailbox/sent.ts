import type { Api } from '../connection/api.ts';

/**
 * The messages that the handles of a client have sent. A mailbox keeps a copy of each under an id of its own. The waits
 * ignore these copies.
 */
export class SentCopies {
  static readonly #byApi = new WeakMap<Api, SentCopies>();
  readonly #ids = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();

  static of(api: Api): SentCopies {
    const known = SentCopies.#byApi.get(api) ?? new SentCopies();
    SentCopies.#byApi.set(api, known);
    return known;
  }

  /** Remembers the id of the copy that a send reports. */
  async remember<T extends { readonly messageId: string }>(send: Promise<T>): Promise<T> {
    const remembered = send.then((sent) => {
      this.#ids.add(sent.messageId);
      return sent;
    });
    const ended = remembered.catch(() => {}).finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return remembered;
  }

  /**
   * Tells whether a message is a copy. It waits for the sends under way, because a copy may be visible before its send
   * is answered.
   */
  async has(id: string): Promise<boolean> {
    await Promise.all(this.#underWay);
    return this.#ids.has(id);
  }
}
