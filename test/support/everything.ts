import { json, putMail } from '../http/support.ts';
import type { TestServer } from './mailcap.ts';

/** Ids by the path segment before them. */
export type Ids = Readonly<Record<string, string>>;

/** Creates one resource for every kind of id in a path, in the workspace of the key. */
export async function oneOfEverything(
  server: TestServer,
  { id, key }: { readonly id: string; readonly key: string },
  name: string,
): Promise<Ids> {
  const headers = { authorization: `Bearer ${key}` };
  const make = async (path: string, request: unknown) =>
    (await json<{ id: string }>(server.api(path, { json: request, headers }))).id;
  const mailboxes = await make(`/v1/workspaces/${id}/mailboxes`, { name });
  const local = `/_mailcap/workspaces/${id}`;
  const authenticator = await make(`${local}/authenticators`, { name, secret: 'JBSWY3DPEHPK3PXP' });
  const webhook = await json<{ id: string; key: string }>(server.api('/v1/webhooks', { json: { name }, headers }));
  await fetch(`${server.url}/hooks/${webhook.key}/${name}`, { method: 'POST', body: name });
  const page = await json<{ items: { id: string }[] }>(server.api(`/v1/webhooks/${webhook.id}/requests`, { headers }));
  return {
    workspaces: id,
    mailboxes,
    messages: (await putMail(server, mailboxes)).id,
    groups: await make(`${local}/groups`, { name }),
    authenticators: authenticator,
    totp: authenticator,
    suppression: await make(`${local}/suppression`, { recipient: `${name}@x.test`, reason: 'bounce' }),
    identities: await make(`${local}/identities`, { domain: `${name}.example` }),
    webhooks: webhook.id,
    requests: page.items[0]?.id ?? 'none was captured',
  };
}

/** Returns a path with an id in every place. */
export function fill(path: string, ids: Ids): string {
  return path.replace(/([^/]+)\/:\w+/g, (_all, segment: string) => `${segment}/${ids[segment] ?? 'unknown'}`);
}
