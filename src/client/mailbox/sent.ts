import type { Api } from '../connection/api.ts';

/**
 * What the handles of a client have sent. A mailbox keeps a copy of each under its own id, which nobody has sent to it: no handle
 * takes it for mail that came.
 */
export class Sent {
  static readonly #byApi = new WeakMap<Api, Sent>();
  readonly #ids = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();

  static of(api: Api): Sent {
    const known = Sent.#byApi.get(api) ?? new Sent();
    Sent.#byApi.set(api, known);
    return known;
  }

  /** Remembers what a send says the copy is called. */
  async remember<T extends { readonly messageId: string }>(send: Promise<T>): Promise<T> {
    const remembered = send.then((sent) => {
      this.#ids.add(sent.messageId);
      return sent;
    });
    const ended = remembered.catch(() => {}).finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return remembered;
  }

  /** A copy may be seen before its send is answered: what is under way is waited for. */
  async has(id: string): Promise<boolean> {
    await Promise.all(this.#underWay);
    return this.#ids.has(id);
  }
}
