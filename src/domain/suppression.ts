import type { SuppressionId, WorkspaceId } from './ids.ts';

/** An address that bounced or complained: outbound sends refuse it. */
export interface SuppressionEntry {
  readonly id: SuppressionId;
  readonly workspaceId: WorkspaceId;
  /** As addresses are compared: the domain in A-labels, all in lower case. */
  readonly recipient: string;
  readonly reason: 'bounce' | 'complaint';
  readonly addedAt: number;
}
