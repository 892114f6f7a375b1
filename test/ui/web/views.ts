import { ulid } from 'ulid';
import { json } from '../../http/support.ts';
import { fillWithEverything } from './one-of-everything.ts';
import type { InboxFixture } from './open-inbox.ts';

/** A view of the page: its name, its fragment of the URL, and a selector of what is there once it has loaded. */
export type View = readonly [name: string, hash: string, wait: string];

/** Gives a server one of everything, and returns the addresses of all views that show it. */
export async function everyView(fixture: InboxFixture): Promise<readonly View[]> {
  const { server, mail } = fixture;
  const workspace = `/_mailcap/workspaces/${server.workspaceId}`;
  const inbox = `#/mail/${server.mailboxId}`;
  await mail({ subject: 'Lunch', messageId: '<lunch@shop.test>', html: '<p>At noon?</p>' });
  await mail({
    ...{ subject: 'Re: Lunch', inReplyTo: '<lunch@shop.test>', references: '<lunch@shop.test>' },
    html: '<p>At one.</p>',
  });
  const newest = await json<{ items: readonly { id: string }[] }>(
    server.api(`/_mailcap/mailboxes/${server.mailboxId}/messages`),
  );
  const [answer, first] = newest.items.map(({ id }) => id);
  const { message, attached, webhook, request } = await fillWithEverything(fixture);
  const empty = await json<{ id: string }>(server.api(`${workspace}/mailboxes`, { json: { name: 'Empty' } }));
  const [run, failed] = [ulid(), ulid()];
  await server.api(`/_mailcap/runs/${run}/tests/${failed}`, {
    method: 'PUT',
    json: {
      ...{ runner: 'playwright', project: 'shop', file: 'tests/shop.spec.ts', attempt: 1, worker: '0' },
      ...{ titles: ['shop', 'pays'], outcome: 'failed', error: 'WaitTimeoutError: No message matched' },
      ...{ startedAt: '2026-11-20T15:55:00.000Z', endedAt: '2026-11-20T15:55:09.000Z', mailboxIds: [empty.id] },
      waits: [
        {
          ...{ at: '2026-11-20T15:55:01.000Z', call: 'waitForCode', filter: "{ subject: 'receipt' }", tookMs: 5_000 },
          outcome: `No message to ada@${'inbox'.repeat(12)}.example.com matched`,
        },
      ],
    },
  });
  const tabs = (address: string, names: readonly string[]): readonly View[] =>
    names.map((tab) => [
      `${address.startsWith(inbox) ? 'message' : 'request'} ${tab}`,
      `${address}/${tab}`,
      '.message-pane .view > *',
    ]);
  return [
    ['list', '', '.row'],
    ['all mailboxes', '#/mail/all', '.row'],
    ...tabs(message, ['html', 'text', 'headers', 'parts', 'source', 'attachments', 'delivery', 'links', 'checks']),
    ['attached mail', attached, '.way-back .actions'],
    ['conversation', `${inbox}/${answer}`, '.conversation'],
    ['nothing found', `${inbox}?q=nowhere`, '.list-pane .empty'],
    ['wrong search', `${inbox}?q=size%3Abig`, '.search-wrong'],
    ['empty mailbox', `#/mail/${empty.id}`, '.list-pane .empty'],
    ['message that is gone', `#/messages/${ulid()}`, '.empty.failed'],
    ['choice of another mail', `#/compare/${answer}`, '.pick-other .cards'],
    ['pixels', `#/compare/${first}/${answer}/pixels`, '.pixels'],
    ...['look', 'text', 'headers'].map(
      (tab): View => [`compare ${tab}`, `#/compare/${first}/${answer}/${tab}`, '.compare-view > *'],
    ),
    ['webhooks', '#/webhooks', '.cards'],
    ['new webhook', '#/webhooks?form=new', '.form'],
    ['requests', webhook, '.row.request'],
    ['answer of a webhook', `${webhook}?form=answer`, '.message-pane .form'],
    ['script of a webhook', `${webhook}?form=script`, '.message-pane .form'],
    ...tabs(request, ['body', 'headers', 'difference', 'signature', 'forward']),
    ['timeline', '#/timeline', '.timeline'],
    ['waiting', '#/waiting', '.page .empty'],
    ['why', `#/why/${server.mailboxId}`, '.diagnosis'],
    ['runs', '#/runs', '.tests'],
    ['failed test', `#/runs/${run}/${failed}`, '.test-facts table'],
    ['sends', '#/outbound', '.page .empty'],
    ['compose', '#/outbound/compose', '.form'],
    ['suppression', '#/outbound/suppression', '.form'],
    ['wallet', '#/outbound/wallet', '.figure'],
    ['authenticators', '#/authenticators', '.codes'],
    ['new authenticator', '#/authenticators?form=new', '.form'],
    ...['use', 'faults', 'clock', 'keys', 'workspaces', 'server'].map(
      (tool): View => [`tool ${tool}`, `#/tools/${tool}`, '[role=tabpanel] > *'],
    ),
  ];
}
