import type { GroupId, WorkspaceId } from './ids.ts';

/** A label to sort mailboxes by, set up in the dashboard. */
export interface Group {
  readonly id: GroupId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly createdAt: number;
}
