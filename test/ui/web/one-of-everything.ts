import { json } from '../../http/support.ts';
import type { InboxFixture } from './open-inbox.ts';

/** The addresses of views that show something, as fragments of the page's URL. */
export interface Filled {
  /** A message with HTML, text, a code, a link, a remote picture, a file and an attached mail. */
  readonly message: string;
  /** The mail that is attached to the message. */
  readonly attached: string;
  /** The webhook that captured the request. */
  readonly webhook: string;
  /** The second of two requests. */
  readonly request: string;
}

/** A mail with a code, and with texts that are no code. */
const INNER =
  'From: Bob <bob@x.test>\r\nSubject: Attached\r\nContent-Type: multipart/mixed; boundary=in\r\n\r\n--in\r\n\r\nYour code is 730218. Order number: 99127743\r\n--in\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nx\r\n--in--';

/** Gives a server one of everything that the page shows: a mail, captured requests, an authenticator and a fault. */
export async function fillWithEverything({ server, mail }: InboxFixture): Promise<Filled> {
  await mail({
    subject: 'Your code',
    text: 'Your code is 481516. Or https://app.test/verify?t=1',
    html: '<p>Your code is <b>481516</b>. <img src="http://elsewhere.test/a.png"></p>',
    attachments: [
      { filename: 'a.pdf', content: Buffer.alloc(2_000) },
      { filename: 'inner.eml', contentType: 'message/rfc822', content: INNER },
    ],
  });
  const workspace = `/_mailcap/workspaces/${server.workspaceId}`;
  const webhook = await json<{ id: string; url: string }>(
    server.api(`${workspace}/webhooks`, { json: { name: 'Payments' } }),
  );
  for (const amount of [1, 2])
    await fetch(webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"amount":${amount}}`,
    });
  await server.api(`${workspace}/authenticators`, { json: { name: 'Shop', secret: 'GEZDGNBVGY3TQOJQ' } });
  await server.api('/_mailcap/faults', {
    method: 'PUT',
    json: [{ stage: 'rcpt', action: { drop: true }, times: 1 }],
  });
  const newest = async (path: string) => (await json<{ items: [{ id: string }] }>(server.api(path))).items[0].id;
  const message = await newest(`/_mailcap/mailboxes/${server.mailboxId}/messages`);
  const request = await newest(`/_mailcap/webhooks/${webhook.id}/requests`);
  const content = await json<{ attachments: [unknown, { id: string }] }>(
    server.api(`/_mailcap/messages/${message}/content`),
  );
  return {
    message: `#/mail/${server.mailboxId}/${message}`,
    attached: `#/mail/${server.mailboxId}/${message}/text?attached=${content.attachments[1].id}`,
    webhook: `#/webhooks/${webhook.id}`,
    request: `#/webhooks/${webhook.id}/${request}`,
  };
}
