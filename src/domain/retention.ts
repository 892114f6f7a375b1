export const DAY_MS = 86_400_000;

/** What was received before this instant is past its window. */
export function retentionCutoff(retentionDays: number, now: number): number {
  return now - retentionDays * DAY_MS;
}

/** Gone from every answer the moment the window ends (docs/contract.md#retention). */
export function isExpired(receivedAt: number, retentionDays: number, now: number): boolean {
  return receivedAt <= retentionCutoff(retentionDays, now);
}
