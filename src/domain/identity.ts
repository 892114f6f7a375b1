import type { IdentityId, WorkspaceId } from './ids.ts';

/** A domain that a workspace may send from. */
export interface Identity {
  readonly id: IdentityId;
  readonly workspaceId: WorkspaceId;
  /** In A-labels and lower case. */
  readonly domain: string;
  readonly createdAt: number;
}
