import { refuse } from '../../domain/errors.ts';
import { type Anyone, type Endpoint, foreignRoute, type Method } from '../route.ts';

/** A request that is refused, with the sentence that says why and what there is instead. */
export type Missing = readonly [method: Method, path: string, why: string];

/** Declares the routes of what has no counterpart here. They answer 501 with a sentence. */
export function notSupported(missing: readonly Missing[]): readonly Endpoint<Anyone>[] {
  return missing.map(([method, path, message]) =>
    foreignRoute(method, path, {
      returns: { 204: null },
      fails: ['not_supported'],
      handle: async () => {
        throw refuse('not_supported', { message });
      },
    }),
  );
}
