import {
  type ActiveFault,
  type CapturedRequest,
  type Client,
  type ClockSetting,
  type FaultRule,
  type LinkFilter,
  type Mailbox,
  type Message,
  OptionError,
  type Webhook,
} from '../../src/client/index.ts';
import { shown } from '../../src/client/internal.ts';

// `cy.task` passes only JSON. So the handles stay in this process, tests name them by their ids, and filters are
// strings.

/** The mailbox and the filters of a wait for messages. Every filter matches as a part of a text, in any case. */
export interface MessageQuery {
  /** The `id` that `mailcap:mailbox` returned. */
  readonly mailbox: string;
  /** A part of the subject. */
  readonly subject?: string;
  /** A part of the sender. A whole address matches only that sender. */
  readonly from?: string;
  /** A part of a recipient. A whole address matches only that recipient. */
  readonly to?: string;
  /** A part of the visible body. */
  readonly body?: string;
  /** The longest time to wait, in milliseconds; 10,000 if left out. `cy.task` itself ends after 60,000. */
  readonly timeout?: number;
  /** The choice if several messages match. `'only'`, the default, fails then. */
  readonly pick?: 'only' | 'newest' | 'oldest';
  /** Marks the message as read; `false` if left out. */
  readonly markRead?: boolean;
}

/** A mail that a test sends in the place of the app. */
export interface MailToSend {
  /** The recipients, with commas between them. */
  readonly to: string;
  /** The sender; `app@example.com` if left out. */
  readonly from?: string;
  /** The subject; none if left out. */
  readonly subject?: string;
  /** The text of the mail; empty if left out. */
  readonly text?: string;
  /** The same as HTML. */
  readonly html?: string;
}

/** The webhook and the filters of a wait for requests. */
export interface RequestQuery {
  /** The `id` that `mailcap:webhook` returned. */
  readonly webhook: string;
  /** The HTTP method, in any case. */
  readonly method?: string;
  /** A part of the path after the key. */
  readonly path?: string;
  /** A part of the query, without `?`. */
  readonly query?: string;
  /** A part of the body as text. */
  readonly body?: string;
  /** The longest time to wait, in milliseconds; 10,000 if left out. `cy.task` itself ends after 60,000. */
  readonly timeout?: number;
  /** The choice if several requests match. `'only'`, the default, fails then. */
  readonly pick?: 'only' | 'newest' | 'oldest';
}

/** A message as JSON. */
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

/** A captured request as JSON. */
export type PlainRequest = Pick<CapturedRequest, 'id' | 'method' | 'path' | 'query' | 'headers'> & {
  /** The body as text. */
  readonly body: string;
  /** The time of receipt in ISO 8601. */
  readonly receivedAt: string;
};

/** The tasks by their names. Each resolves with a JSON value, or with null if it has no result. */
export type MailcapTasks = ReturnType<typeof createTasks>;

/** Creates the tasks, which use the given client. The handles live as long as the tasks. */
export function createTasks(client: Client) {
  const mailboxes = new Map<string, Mailbox>();
  const webhooks = new Map<string, Webhook>();
  const faults = new Map<string, ActiveFault>();
  const mailboxOf = ({ mailbox }: { readonly mailbox: string }) => known(mailboxes, mailbox, 'mailcap:mailbox');
  const webhookOf = ({ webhook }: { readonly webhook: string }) => known(webhooks, webhook, 'mailcap:webhook');

  return {
    /** Creates a mailbox for a test. Returns its id for the other tasks, its address, and the addresses and numbers it claims. */
    'mailcap:mailbox': async (
      options: {
        name?: string;
        addresses?: string[];
        phones?: string[];
        wait?: boolean;
        timeout?: number;
      } | null = null,
    ) => {
      const mailbox = await client.mailbox(options ?? {});
      mailboxes.set(mailbox.id, mailbox);
      const { id, address, addresses, phones } = mailbox;
      return { id, address, addresses, phones };
    },
    /** Sends a mail by SMTP, as the app would. Returns null when the server has taken it. */
    'mailcap:send': async (mail: MailToSend) => {
      await sendBySmtp(client, mail);
      return null;
    },
    /** Waits for the one message that matches. */
    'mailcap:message': async (query: MessageQuery) =>
      plainMessage(await mailboxOf(query).waitForMessage(...waitOf(query, 'mailbox'))),
    /** Waits for the one message that matches, and returns its code. */
    'mailcap:code': async ({ length, ...query }: MessageQuery & { readonly length?: number }) => {
      const [filter, options] = waitOf(query, 'mailbox');
      return mailboxOf(query).waitForCode(filter, { ...options, ...(length !== undefined && { code: { length } }) });
    },
    /** Waits for the one message that matches, and returns the URL of its link, for `cy.visit`. */
    'mailcap:link': async ({ link, ...query }: MessageQuery & { readonly link?: LinkFilter }) => {
      const [filter, options] = waitOf(query, 'mailbox');
      return mailboxOf(query).waitForLink(filter, { ...options, ...(link !== undefined && { link }) });
    },
    /** Returns all messages that match and exist now, oldest first. */
    'mailcap:messages': async (query: Omit<MessageQuery, 'timeout' | 'pick' | 'markRead'>) =>
      (await mailboxOf(query).messages(waitOf(query, 'mailbox')[0])).map(plainMessage),
    /** Watches for `for` milliseconds, and fails if a matching message comes. */
    'mailcap:noMessage': async ({
      for: ms,
      ...query
    }: Omit<MessageQuery, 'timeout' | 'pick' | 'markRead'> & { readonly for: number }) => {
      await mailboxOf(query).expectNoMessage(waitOf(query, 'mailbox')[0], { for: ms });
      return null;
    },
    /** Creates a webhook for a test. Returns its id for the other tasks, and its URL. */
    'mailcap:webhook': async (options: { name?: string } | null = null) => {
      const webhook = await client.webhook(options ?? {});
      webhooks.set(webhook.id, webhook);
      return { id: webhook.id, url: webhook.url };
    },
    /** Waits for the one captured request that matches. */
    'mailcap:request': async (query: RequestQuery) =>
      plainRequest(await webhookOf(query).waitForRequest(...waitOf(query, 'webhook'))),
    /** Makes the server fail on purpose, until `mailcap:removeFaults`. Returns the id of the rule. */
    'mailcap:addFault': async (rule: FaultRule) => {
      const fault = await client.addFault(rule);
      faults.set(fault.id, fault);
      return { id: fault.id };
    },
    /** Removes the fault rules that these tasks added, and no others. Call it in `afterEach`. */
    'mailcap:removeFaults': async (_: null = null) => {
      const added = [...faults.values()];
      await Promise.all(added.map((fault) => fault.remove()));
      for (const { id } of added) faults.delete(id);
      return null;
    },
    /** Sets the clock of the client's workspace. Null sets it back; call it in `afterEach`. */
    'mailcap:setClock': async (setting: ClockSetting) => client.setClock(setting),
    /** Returns the TOTP code of a base32 secret or an `otpauth://` URI. */
    'mailcap:totp': async (secretOrUri: string) => client.authenticator(secretOrUri).code(),
  };
}

function known<Handle>(handles: ReadonlyMap<string, Handle>, id: string, maker: string): Handle {
  const handle = handles.get(id);
  if (handle !== undefined) return handle;
  throw new OptionError(
    `No task "${maker}" has returned the id ${shown(id)}.`,
    `cy.task('${maker}').then(({ id }) => ...) returns one. Pass it as '${maker.replace('mailcap:', '')}'.`,
  );
}

type Timing = { timeout?: number; pick?: 'only' | 'newest' | 'oldest'; markRead?: boolean };

/** Splits a query into the filter and the options of a wait. The wait itself refuses unknown fields. */
function waitOf<Query extends Timing & object>(query: Query, handle: string): [object, Timing] {
  const { timeout, pick, markRead, ...rest } = query;
  const filter = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== handle));
  const options = { timeout, pick, markRead };
  return [filter, Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))];
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

const FIELDS: readonly string[] = ['to', 'from', 'subject', 'text', 'html'] satisfies (keyof MailToSend)[];

/** Sends a mail to the SMTP server of the client's server. Throws an OptionError for a field that is no text. */
async function sendBySmtp(client: Client, mail: MailToSend): Promise<void> {
  for (const [name, value] of Object.entries(mail ?? {})) {
    if (!FIELDS.includes(name))
      throw new OptionError(`"mailcap:send" has no "${name}".`, `It has ${FIELDS.join(', ')}.`);
    if (typeof value !== 'string')
      throw new OptionError(`${name} of "mailcap:send" must be a string; it is ${shown(value)}.`);
  }
  if (!mail?.to) throw new OptionError('"mailcap:send" needs `to`.', 'Give it the address of a mailbox.');
  const { smtpHost: host, smtpPort: port } = await client.local.getInfo();
  // A test that sends no mail loads no sender.
  const { createTransport } = await import('nodemailer');
  await createTransport({ host, port, ignoreTLS: true }).sendMail({ from: 'app@example.com', ...mail });
}
