import type { Ulid } from '../domain/ids.ts';

export interface Ids {
  /**
   * Returns a ULID that is greater than `after` and than all ULIDs it returned before. The time in it is `now` or
   * later, in milliseconds since 1970.
   */
  next<Id extends Ulid>(now: number, after?: Ulid | null): Id;
}
