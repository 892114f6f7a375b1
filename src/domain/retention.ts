export const DAY_MS = 86_400_000;

/** Returns the moment at or before which received mail is past its retention. */
export function retentionCutoff(retentionDays: number, now: number): number {
  return now - retentionDays * DAY_MS;
}

/** The moments at or before which rows are past their retention, in milliseconds since 1970. */
export interface Expiry {
  /** A row that was received then is in no answer. It is in the time of the workspace. */
  readonly shown: number;
  /** A row that is in no answer is erased if it also arrived by this moment of real time. */
  readonly real: number;
}

/** Tells whether a shifted clock may hide rows that the sweep keeps. `hasShifted` means that it ever was shifted. */
export function mayHide({ shown, real }: Expiry, hasShifted: boolean): boolean {
  return hasShifted || shown > real;
}

/**
 * Tells whether a message is past its retention. It disappears from every answer at that moment
 * (docs/contract.md#retention). It comes back if the clock of its workspace is set back.
 */
export function isExpired(receivedAt: number, { shown }: Pick<Expiry, 'shown'>): boolean {
  return receivedAt <= shown;
}

/** Tells whether a row is past its retention in real time too, so that its bytes may go. `arrivedAt` is a real time. */
export function isErasable(receivedAt: number, arrivedAt: number, expiry: Expiry): boolean {
  return arrivedAt <= expiry.real && isExpired(receivedAt, expiry);
}
