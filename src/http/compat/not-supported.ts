import { refuse } from '../../domain/errors.ts';
import { type Anyone, type Endpoint, foreignRoute, type Method } from '../route.ts';

/** A request that is refused, with a sentence that says why and names the replacement. */
export type Missing = readonly [method: Method, path: string, why: string];

/** Declares the routes of features that mailcap lacks. They answer 501 with the sentence. */
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
