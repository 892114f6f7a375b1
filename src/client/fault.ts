import type { Api } from './connection/api.ts';
import type { FaultRule } from './connection/local-resources.ts';
import { RefusedError } from './errors.ts';
import type { CallOptions } from './transport/deadline.ts';

/** A fault rule that `client.addFault()` added. */
export interface ActiveFault {
  /** The id of the rule on the server. */
  readonly id: string;
  /** Returns how often the rule was applied. After `remove()` it returns the last count. */
  applied(options?: CallOptions): Promise<number>;
  /** Removes this rule alone. It does nothing if the rule is gone already. */
  remove(options?: CallOptions): Promise<void>;
}

/** Adds a fault rule to the server and returns its handle. */
export async function openFault({ local }: Api, rule: FaultRule, options?: CallOptions): Promise<ActiveFault> {
  const { id } = await local.addFault(rule, options);
  let last = 0;
  return {
    id,
    applied: async (options) => {
      const fault = (await local.getFaults(options)).find((one) => one.id === id);
      last = fault?.applied ?? last;
      return last;
    },
    remove: async (options) => {
      try {
        last = (await local.removeFault(id, options)).applied;
      } catch (error) {
        // A reset or a replacement of all rules removed it before.
        if (!(error instanceof RefusedError) || error.code !== 'not_found') throw error;
      }
    },
  };
}
