import { addKey, addWorkspace, json } from '../http/support.ts';
import type { TestServer } from '../support/mailcap.ts';

export interface Box {
  readonly id: string;
  readonly subdomain: string;
}

/** A workspace and a key to all its resources. The names of its resources contain its token. */
export interface Tenant {
  readonly token: string;
  readonly id: string;
  readonly key: string;
}

let tenants = 0;

export async function addTenant(server: TestServer): Promise<Tenant> {
  const token = `tenant${++tenants}x`;
  const { id, key } = await addWorkspace(server, { name: token });
  return { token, id, key };
}

export function addBox(server: TestServer, tenant: Tenant, name: string): Promise<Box> {
  const headers = { authorization: `Bearer ${tenant.key}` };
  return json<Box>(
    server.api(`/v1/workspaces/${tenant.id}/mailboxes`, { json: { name: `${tenant.token}-${name}` }, headers }),
  );
}

/** Creates an authenticator in the workspace and returns its id. */
export async function addAuthenticator(server: TestServer, { id, token }: Tenant): Promise<string> {
  const request = { name: token, secret: 'JBSWY3DPEHPK3PXP' };
  return (await json<{ id: string }>(server.api(`/_mailcap/workspaces/${id}/authenticators`, { json: request }))).id;
}

/** Creates a key for these mailboxes and authenticators only. */
export function addNarrowKey(
  server: TestServer,
  tenant: Tenant,
  mailboxes: readonly string[],
  authenticators: readonly string[] = [],
): Promise<string> {
  return addKey(server, tenant.id, { mailboxes, authenticators });
}
