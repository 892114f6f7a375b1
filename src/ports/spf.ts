import type { MessageId } from '../domain/ids.ts';
import type { Facts } from '../domain/message.ts';
import type { SpfResult } from '../domain/spf.ts';

/** Evaluates whether the client may send mail for the sender's domain (RFC 7208). */
export interface Spf {
  /**
   * Evaluates a message. It never rejects and has a time limit. It caches results by id and evaluates a message once
   * for concurrent callers.
   */
  evaluate(id: MessageId, facts: Facts): Promise<SpfResult>;
}
