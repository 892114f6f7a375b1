import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Served } from '../faults/served.ts';
import { call } from './servers.ts';

interface Identified {
  readonly id: string;
}

/** The answers that repeat a stored one: the API gives them for a second request with the same Idempotency-Key. */
const KEYED = { 'idempotency-key': 'before-the-copy' };
const COPIED = { name: 'Copied', subdomain: 'copied' };

/** Gives a server one of everything that a store keeps. `mails` is the number of small mails. */
export async function fill(server: Served, mails: number): Promise<void> {
  const { workspaceId } = server.ready;
  const put = async (method: string, path: string, body?: unknown, headers = {}): Promise<Identified> => {
    const answer = await call(server, method, path, body, headers);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? { id: '' } : ((await answer.json()) as Identified); // docs/api.md#mailboxes
  };
  const local = `/_mailcap/workspaces/${workspaceId}`;
  await put('POST', `${local}/groups`, { name: 'group' });
  const mailbox = await put('POST', `/v1/workspaces/${workspaceId}/mailboxes`, COPIED, KEYED);
  const gone = await put('POST', `/v1/workspaces/${workspaceId}/mailboxes`, { name: 'Gone', subdomain: 'gone' });
  await put('POST', `${local}/identities`, { domain: 'sender.test' });
  await put('POST', `${local}/suppression`, { recipient: 'no@sender.test', reason: 'bounce' });
  await put('POST', `${local}/authenticators`, { name: 'phone', secret: 'JBSWY3DPEHPK3PXP' });
  const key = await put('POST', `${local}/keys`, {
    name: 'revoked',
    scopes: { mailboxes: 'all', authenticators: 'all', webhooks: 'none' },
  });
  await put('DELETE', `/_mailcap/keys/${key.id}`);
  await put('PATCH', `/_mailcap/mailboxes/${mailbox.id}`, { allowlist: ['*@sender.test', '*.mailcap.example.com'] });
  const hook = await put('POST', '/v1/webhooks', { name: 'hook' });
  await put('PUT', `/_mailcap/webhooks/${hook.id}/responses`, [{ status: 418, body: 'next' }]);
  const view = (await (await call(server, 'GET', `/v1/webhooks/${hook.id}`)).json()) as { key: string }; // docs/api.md
  await fetch(`${server.ready.webhookBaseUrl}/${view.key}/path?x=1`, {
    method: 'POST',
    body: Buffer.from([0, 255, 10, 13, 128]),
  });
  await put('PUT', `/_mailcap/webhooks/${hook.id}/responses`, [{ status: 418, body: 'next' }, { drop: true }]);
  await put('POST', `/v1/mailboxes/${mailbox.id}/send`, {
    from: 'app@copied.mailcap.example.com',
    to: 'ada@copied.mailcap.example.com',
    subject: 'sent',
    textBody: 'Hello',
  });
  const transport = createTransport({
    pool: true,
    host: server.ready.smtpHost,
    port: server.ready.smtpPort,
    ignoreTLS: true,
  });
  const send = (subject: string, rest: object = {}) =>
    transport.sendMail({ from: 'a@x.test', to: 'one@copied.mailcap.example.com', subject, text: subject, ...rest });
  await Promise.all(Array.from({ length: mails }, (_, i) => send(`mail ${i}`)));
  await send('two mailboxes share its bytes', { to: ['one@copied.mailcap.example.com', 'two@elsewhere.test'] });
  await send('to one that goes', { to: 'x@gone.mailcap.example.com' });
  await send('large', { attachments: [{ filename: 'a.bin', content: Buffer.alloc(3 * 1024 * 1024, 'bytes ') }] });
  await send('nul \0 and \ud83d\ude00 in the subject');
  await put('DELETE', `/_mailcap/mailboxes/${gone.id}`);
  transport.close();
  await put('PUT', '/_mailcap/clock', { offsetSeconds: 90 });
}

/** Returns what the APIs tell of everything stored, by path, without addresses of the server and the keys of copies. */
export async function everything(server: Served): Promise<Map<string, string>> {
  const told = new Map<string, string>();
  const read = async (path: string): Promise<unknown> => {
    const answer = await call(server, 'GET', path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    const text = isJson
      ? bytes.toString()
      : `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex')}`;
    // A copied store has places of its own for the bytes of mails, and with them other keys.
    const withoutKeys = text.replaceAll(/"copyKey":"[^"]*",/g, '');
    told.set(path, `${answer.status} ${withoutKeys.replaceAll(/127\.0\.0\.1:\d+|"port":\d+/g, 'host')}`);
    return isJson ? JSON.parse(bytes.toString()) : null;
  };
  const ids = (value: unknown): string[] => {
    const items = Array.isArray(value) ? value : ((value as { items?: unknown[] } | null)?.items ?? []); // pages and lists
    return items.map((item) => (item as Identified).id);
  };
  for (const workspace of ids(await read('/_mailcap/workspaces'))) {
    const at = `/_mailcap/workspaces/${workspace}`;
    await read(at);
    for (const part of ['groups', 'identities', 'suppression']) await read(`${at}/${part}`);
    await read(`${at}/keys`);
    await read(`${at}/authenticators`);
  }
  await read('/v1/mailboxes');
  for (const mailbox of ids(await read('/_mailcap/mailboxes'))) {
    await read(`/_mailcap/mailboxes/${mailbox}`);
    for (const message of ids(await read(`/_mailcap/mailboxes/${mailbox}/messages?limit=200`))) {
      await read(`/v1/mailboxes/${mailbox}/messages/${message}`);
      await read(`/_mailcap/messages/${message}`);
      await read(`/_mailcap/messages/${message}/raw`);
    }
  }
  for (const send of ids(await read('/_mailcap/sends'))) await read(`/_mailcap/sends/${send}`);
  await read('/v1/webhooks');
  for (const hook of ids(await read('/_mailcap/webhooks'))) {
    await read(`/_mailcap/webhooks/${hook}`);
    await read(`/_mailcap/webhooks/${hook}/responses`);
    for (const request of ids(await read(`/_mailcap/webhooks/${hook}/requests`))) {
      await read(`/v1/webhooks/requests/${request}`);
      await read(`/_mailcap/webhooks/requests/${request}`);
      await read(`/_mailcap/webhooks/requests/${request}/body`);
    }
  }
  await read('/_mailcap/events?limit=500');
  const again = await call(server, 'POST', `/v1/workspaces/${server.ready.workspaceId}/mailboxes`, COPIED, KEYED);
  told.set('a repeated request', `${again.status} ${await again.text()}`);
  const clock = (await (await call(server, 'GET', '/_mailcap/clock')).json()) as { offsetSeconds?: number }; // docs
  told.set('clock', String(clock.offsetSeconds));
  return told;
}
