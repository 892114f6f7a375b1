import type { Client } from '../../client/index.ts';

/** Returns the workspace for calls of the local API: that of the key, or the seeded one. */
export async function workspaceOf(client: Client): Promise<string> {
  return (await client.server()).workspaceId ?? (await client.local.info()).workspaceId;
}
