import fc from 'fast-check';

/** An operation of a workspace. Its numbers choose among the resources that exist when it runs. */
export type Operation =
  | { readonly kind: 'make a mailbox'; readonly who: number; readonly idempotencyKey: number | null }
  | { readonly kind: 'make a mailbox in a group'; readonly who: number; readonly group: number }
  | { readonly kind: 'mail'; readonly boxes: readonly number[] }
  | { readonly kind: 'put a message in'; readonly box: number }
  | { readonly kind: 'wait'; readonly key: number; readonly box: number }
  | { readonly kind: 'page'; readonly key: number; readonly box: number; readonly before: number }
  | { readonly kind: 'delete a message'; readonly box: number; readonly message: number }
  | { readonly kind: 'clear'; readonly box: number }
  | { readonly kind: 'delete a mailbox'; readonly box: number }
  | { readonly kind: 'add an authenticator'; readonly who: number }
  | { readonly kind: 'issue a key'; readonly who: number; readonly boxes: readonly number[] | 'all' }
  | { readonly kind: 'revoke a key'; readonly key: number };

const pick = fc.nat(1_000);
const who = pick;
const box = pick;
const key = pick;
const boxes = fc.array(pick, { minLength: 1, maxLength: 4 });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('make a mailbox' as const),
      who,
      // There are few keys, so that the same key repeats in one workspace and in others.
      idempotencyKey: fc.option(fc.nat(2)),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('mail' as const), boxes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('put a message in' as const), box }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), key, box }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('page' as const), key, box, before: pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete a message' as const), box, message: pick }) },
  fc.record({ kind: fc.constant('clear' as const), box }),
  fc.record({ kind: fc.constant('delete a mailbox' as const), box }),
  fc.record({ kind: fc.constant('add an authenticator' as const), who }),
  fc.record({ kind: fc.constant('make a mailbox in a group' as const), who, group: pick }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('issue a key' as const),
      who,
      boxes: fc.oneof(fc.constant('all' as const), boxes),
    }),
  },
  fc.record({ kind: fc.constant('revoke a key' as const), key }),
);

export const operations = fc.array(operation, { minLength: 5, maxLength: 40 });
