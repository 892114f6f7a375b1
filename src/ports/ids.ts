import type { Ulid } from '../domain/ids.ts';

export interface Ids {
  /** Returns a ULID greater than `after` and than all it returned before. Its time is `now` or later. */
  next<Id extends Ulid>(now: number, after?: Ulid | null): Id;
}
