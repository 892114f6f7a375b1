import { addKey, addWorkspace, json } from '../http/support.ts';
import type { TestServer } from '../support/mailcap.ts';

export interface Box {
  readonly id: string;
  readonly subdomain: string;
}

/** A workspace, with a key to all of it. What it owns has its token in the name. */
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

/** An authenticator of the workspace: its id. */
export async function addAuthenticator(server: TestServer, { id, token }: Tenant): Promise<string> {
  const request = { name: token, secret: 'JBSWY3DPEHPK3PXP' };
  return (await json<{ id: string }>(server.api(`/_mailcap/workspaces/${id}/authenticators`, { json: request }))).id;
}

/** A key to these mailboxes and authenticators, and to nothing else. */
export function addNarrowKey(
  server: TestServer,
  tenant: Tenant,
  mailboxes: readonly string[],
  authenticators: readonly string[] = [],
): Promise<string> {
  return addKey(server, tenant.id, { mailboxes, authenticators });
}
