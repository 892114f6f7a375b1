import type { Client } from '../../client/index.ts';

/** The workspace that commands of the local API mean: that of the key, or the seeded one. */
export async function workspaceOf(client: Client): Promise<string> {
  return (await client.server()).workspaceId ?? (await client.local.info()).workspaceId;
}
