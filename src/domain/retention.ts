export const DAY_MS = 86_400_000;

/** Returns the moment at or before which received mail is past its retention. */
export function retentionCutoff(retentionDays: number, now: number): number {
  return now - retentionDays * DAY_MS;
}

/**
 * Tells whether a message is past its retention. It disappears from every answer at that moment
 * (docs/contract.md#retention).
 */
export function isExpired(receivedAt: number, retentionDays: number, now: number): boolean {
  return receivedAt <= retentionCutoff(retentionDays, now);
}
