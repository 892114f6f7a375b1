import type { GroupId, WorkspaceId } from './ids.ts';

/** A label that sorts mailboxes. Users create it in the dashboard. */
export interface Group {
  readonly id: GroupId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly createdAt: number;
}
