import type { Ulid } from '../domain/ids.ts';

export interface Ids {
  /** A ULID greater than every one given out before and than `after`; its time is `now` or later. */
  next<Id extends Ulid>(now: number, after?: Ulid | null): Id;
}
