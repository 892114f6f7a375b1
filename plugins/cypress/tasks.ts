import {
  type CapturedRequest,
  type Client,
  type LinkFilter,
  type Mailbox,
  type Message,
  OptionError,
  type Webhook,
} from '../../src/client/index.ts';
import { shown } from '../../src/client/internal.ts';

// What `cy.task` hands over and back is JSON: handles stay here, by their ids, and filters are texts.

/** Which message of a mailbox is meant: every filter is a part of a text in any case. */
export interface MessageQuery {
  /** The `id` of what `mailcap:mailbox` returned. */
  readonly mailbox: string;
  /** The subject has it. */
  readonly subject?: string;
  /** The sender has it; a whole address is that sender alone. */
  readonly from?: string;
  /** Some recipient has it; a whole address is that recipient alone. */
  readonly to?: string;
  /** The body has it, as a person sees it. */
  readonly body?: string;
  /** Milliseconds; 10,000 if left out. `cy.task` itself ends after 60,000. */
  readonly timeout?: number;
  /** Which one where several match; `'only'`, an error, if left out. */
  readonly pick?: 'only' | 'newest' | 'oldest';
}

/** Which request of a webhook is meant. */
export interface RequestQuery {
  /** The `id` of what `mailcap:webhook` returned. */
  readonly webhook: string;
  /** The method, in any case. */
  readonly method?: string;
  /** The path after the capture key has it. */
  readonly path?: string;
  /** The query, without `?`, has it. */
  readonly query?: string;
  /** The body has it, as a person sees it. */
  readonly body?: string;
  /** Milliseconds; 10,000 if left out. `cy.task` itself ends after 60,000. */
  readonly timeout?: number;
  /** Which one where several match; `'only'`, an error, if left out. */
  readonly pick?: 'only' | 'newest' | 'oldest';
}

/** A message as JSON has it. */
export type PlainMessage = Pick<
  Message,
  | 'id'
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'subject'
  | 'text'
  | 'html'
  | 'visibleText'
  | 'headers'
  | 'codes'
  | 'links'
> & { readonly receivedAt: string; readonly attachments: readonly string[] };

/** A captured request as JSON has it. */
export type PlainRequest = Pick<CapturedRequest, 'id' | 'method' | 'path' | 'query' | 'headers'> & {
  readonly body: string;
  readonly receivedAt: string;
};

/** The tasks, by their names. Each returns what JSON can hold, null where there is nothing to tell. */
export type MailcapTasks = ReturnType<typeof createTasks>;

export function createTasks(client: Client) {
  const mailboxes = new Map<string, Mailbox>();
  const webhooks = new Map<string, Webhook>();
  const mailboxOf = ({ mailbox }: { readonly mailbox: string }) => known(mailboxes, mailbox, 'mailcap:mailbox');
  const webhookOf = ({ webhook }: { readonly webhook: string }) => known(webhooks, webhook, 'mailcap:webhook');

  return {
    /** Makes a mailbox for a test: its id for the other tasks, and its address. */
    'mailcap:mailbox': async (options: { name?: string; addresses?: string[] } | null = null) => {
      const mailbox = await client.mailbox(options ?? {});
      mailboxes.set(mailbox.id, mailbox);
      const { id, address, addresses } = mailbox;
      return { id, address, addresses };
    },
    /** Waits for one message. */
    'mailcap:message': async (query: MessageQuery) =>
      plainMessage(await mailboxOf(query).waitForMessage(...waitOf(query, 'mailbox'))),
    /** Waits for the code in one message. */
    'mailcap:code': async ({ length, ...query }: MessageQuery & { readonly length?: number }) => {
      const [filter, options] = waitOf(query, 'mailbox');
      return mailboxOf(query).waitForCode(filter, { ...options, ...(length !== undefined && { code: { length } }) });
    },
    /** Waits for the link in one message, for `cy.visit`. */
    'mailcap:link': async ({ link, ...query }: MessageQuery & { readonly link?: LinkFilter }) => {
      const [filter, options] = waitOf(query, 'mailbox');
      return mailboxOf(query).waitForLink(filter, { ...options, ...(link !== undefined && { link }) });
    },
    /** Tells all messages that match and are there now. */
    'mailcap:messages': async (query: Omit<MessageQuery, 'timeout' | 'pick'>) =>
      (await mailboxOf(query).messages(waitOf(query, 'mailbox')[0])).map(plainMessage),
    /** Watches for so many milliseconds that no message comes. */
    'mailcap:noMessage': async ({
      for: ms,
      ...query
    }: Omit<MessageQuery, 'timeout' | 'pick'> & { readonly for: number }) => {
      await mailboxOf(query).expectNoMessage(waitOf(query, 'mailbox')[0], { for: ms });
      return null;
    },
    /** Makes a webhook for a test: its id for the other tasks, and its URL. */
    'mailcap:webhook': async (options: { name?: string } | null = null) => {
      const webhook = await client.webhook(options ?? {});
      webhooks.set(webhook.id, webhook);
      return { id: webhook.id, url: webhook.url };
    },
    /** Waits for one captured request. */
    'mailcap:request': async (query: RequestQuery) =>
      plainRequest(await webhookOf(query).waitForRequest(...waitOf(query, 'webhook'))),
    /** The code of a second factor, by base32 secret or `otpauth://` URI. */
    'mailcap:totp': async (secretOrUri: string) => client.authenticator(secretOrUri).code(),
  };
}

function known<Handle>(handles: ReadonlyMap<string, Handle>, id: string, maker: string): Handle {
  const handle = handles.get(id);
  if (handle !== undefined) return handle;
  throw new OptionError(
    `No task "${maker}" has returned the id ${shown(id)}.`,
    `cy.task('${maker}').then(({ id }) => ...) gives one; give it on under its name.`,
  );
}

type Timing = { timeout?: number; pick?: 'only' | 'newest' | 'oldest' };

/** The filter and the options of a wait. What is neither is refused by the wait itself. */
function waitOf<Query extends Timing & object>(query: Query, handle: string): [object, Timing] {
  const { timeout, pick, ...rest } = query;
  const filter = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== handle));
  return [filter, { ...(timeout !== undefined && { timeout }), ...(pick !== undefined && { pick }) }];
}

function plainMessage(message: Message): PlainMessage {
  const { id, from, to, cc, bcc, replyTo, subject, text, html, visibleText, headers, codes, links } = message;
  return {
    ...{ id, from, to, cc, bcc, replyTo, subject, text, html, visibleText, headers, codes, links },
    receivedAt: message.receivedAt.toISOString(),
    attachments: message.attachments.map(({ filename }) => filename ?? ''),
  };
}

function plainRequest(request: CapturedRequest): PlainRequest {
  const { id, method, path, query, headers } = request;
  return { id, method, path, query, headers, body: request.text(), receivedAt: request.receivedAt.toISOString() };
}
