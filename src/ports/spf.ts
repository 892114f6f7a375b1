import type { MessageId } from '../domain/ids.ts';
import type { Facts } from '../domain/message.ts';
import type { SpfResult } from '../domain/spf.ts';

/** Whether a message's client may send for its sender's domain (RFC 7208). */
export interface Spf {
  /** Never rejects, and is bounded in time. Results are kept within a bound, by id; one message is looked up once however many ask. */
  evaluate(id: MessageId, facts: Facts): Promise<SpfResult>;
}
