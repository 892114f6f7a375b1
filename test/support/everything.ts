import { cloudRoutes, localRoutes } from '../../src/http/app.ts';
import { json, putMail } from '../http/support.ts';
import type { TestServer } from './mailcap.ts';

/** Ids by the segment that stands before them in a path. */
export type Ids = Readonly<Record<string, string>>;

export function hasRoute(method: string, path: string): boolean {
  return [...cloudRoutes, ...localRoutes].some((route) => route.method === method && route.path === path);
}

/** One of everything that an id in a path can stand for, in the workspace of that key. */
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
  const ids: Record<string, string> = {
    workspaces: id,
    mailboxes,
    messages: (await putMail(server, mailboxes)).id,
    groups: await make(`${local}/groups`, { name }),
    authenticators: authenticator,
    totp: authenticator,
  };
  if (hasRoute('POST', '/_mailcap/workspaces/:id/suppression')) {
    ids['suppression'] = await make(`${local}/suppression`, { recipient: `${name}@x.test`, reason: 'bounce' });
    ids['identities'] = await make(`${local}/identities`, { domain: `${name}.example` });
  }
  if (hasRoute('POST', '/v1/webhooks')) {
    const webhook = await json<{ id: string; key: string }>(server.api('/v1/webhooks', { json: { name }, headers }));
    await fetch(`${server.url}/hooks/${webhook.key}/${name}`, { method: 'POST', body: name });
    const page = await json<{ items: { id: string }[] }>(
      server.api(`/v1/webhooks/${webhook.id}/requests`, { headers }),
    );
    ids['webhooks'] = webhook.id;
    ids['requests'] = page.items[0]?.id ?? 'none was captured';
  }
  return ids;
}

/** The path with an id in every place. */
export function fill(path: string, ids: Ids): string {
  return path.replace(/([^/]+)\/:\w+/g, (_all, segment: string) => `${segment}/${ids[segment] ?? 'unknown'}`);
}
