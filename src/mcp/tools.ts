import { z } from 'zod';
import { onRefusal } from '../client/errors.ts';
import type { FaultRule } from '../client/index.ts';
import { mailboxPage, readAnyMessage, wordsOfTexts } from '../client/mailbox/any-kind.ts';
import { plainCode } from '../text/fence.ts';
import { createWebhook, findMailboxMeant, findMessage, findWebhook } from './find.ts';
import {
  checksResult,
  EXTRACTS,
  listResult,
  MESSAGE_FIELDS,
  MESSAGE_PARTS,
  messageResult,
  requestResult,
} from './results.ts';
import { type Cap, type ToolCall, ToolError } from './tool-context.ts';
import {
  type ArrivedItem,
  diagnose,
  filterFor,
  LOOK_BACK_MS,
  serverNow,
  waitForNew,
  waitForNewRequest,
} from './wait.ts';

/** A tool as data. The same table serves stdio and HTTP. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `true` if it changes nothing on the server. */
  readonly isReading: boolean;
  /** The capability that it needs; null if every agent has it. */
  readonly cap: Cap | null;
  run(call: ToolCall, given: unknown): Promise<Record<string, unknown>>;
}

interface Spec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly isReading?: boolean;
  readonly cap?: Cap;
  run(call: ToolCall, given: z.infer<Input>): Promise<z.infer<Output>>;
}

/** Declares a tool. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  name: string,
  { description, input, output, isReading = false, cap, run }: Spec<Input, Output>,
): Tool {
  return {
    ...{ name, description, output, isReading, cap: cap ?? null },
    // An unknown argument is refused. Otherwise an agent that misspells a filter would wait for any mail.
    input: input.strict(),
    run: async (call, given) => run(call, input.parse(given)),
  };
}

/** The longest wait in seconds. Most agents give up a call after 60. */
const MAX_SECONDS = 55;
export const DEFAULT_SECONDS = 30;

/** The input fields that several tools have. Every agent pays for their words in tokens, so they are short. */
export const MAILBOX = z.string().optional().describe('id, subdomain or address; else the inbox');
export const MESSAGE_ID = z.string();
export const TIMEOUT = z.number().min(1).max(MAX_SECONDS).default(DEFAULT_SECONDS).describe('seconds');
export const FILTER = {
  subject: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
} as const;

const { content, ...facts } = MESSAGE_FIELDS;

export const waitForMessage = tool('wait_for_message', {
  description:
    'Wait for the newest mail, from 2 minutes ago on, that no wait returned yet. Filters match parts in any case. On timeout, reason says why.',
  input: z.object({
    mailbox: MAILBOX,
    ...FILTER,
    sms: z.boolean().default(false),
    extract: z.enum(EXTRACTS).default('none'),
    timeout: TIMEOUT,
  }),
  output: z.object({
    found: z.boolean(),
    reason: z.string().optional(),
    ...z.object(facts).partial().shape,
    content,
  }),
  run: async (call, { mailbox: named, sms, extract, timeout, ...given }) => {
    const { toolContext, signal } = call;
    const client = await toolContext.client();
    const mailbox = await findMailboxMeant(client, named, { signal });
    const filter = filterFor(mailbox, given);
    const now = await serverNow(client, toolContext, signal);
    const summary = await waitForNew<ArrivedItem>(call, now, timeout, (since, seconds) => {
      const query = { ...filter, since, timeout: seconds };
      if (sms) return client.local.awaitWholeMessage(mailbox.id, { ...query, kind: 'sms' }, { signal });
      return client.awaitMessage(mailbox.id, query, { signal });
    });
    if (summary === null)
      return {
        found: false,
        ...(await diagnose(call, client, mailbox, filter, new Date(now - LOOK_BACK_MS))),
      };
    const message = await readAnyMessage(client, mailbox.id, summary.id, { signal });
    return {
      found: true,
      ...messageResult(message, { fenceId: toolContext.fenceId(), extract }, await toolContext.see(message)),
    };
  },
});

const MOST = 50;

export const listMessages = tool('list_messages', {
  description: 'List mail, newest first. query: words and from: to: subject: has:code before: after:',
  input: z.object({
    mailbox: MAILBOX,
    query: z.string().optional(),
    limit: z.int().min(1).max(MOST).default(5),
  }),
  output: z.object({
    messages: z.array(z.object({ message_id: z.string(), received_at: z.string() })),
    more: z.boolean(),
    content: z.string(),
  }),
  isReading: true,
  run: async ({ toolContext, signal }, { mailbox: named, query = '', limit }) => {
    const client = await toolContext.client();
    const { id, to } = await findMailboxMeant(client, named, { signal });
    const words = [query, ...(to === null ? [] : [`addressed:"${to.replaceAll('"', '')}"`])].join(' ').trim();
    // One more than the limit tells whether there are more.
    const page = { limit: limit + 1 };
    const found =
      words === ''
        ? await mailboxPage(client, id, page, { signal })
        : (await client.local.searchMessages(id, { ...page, query: words, total: false }, { signal })).items;
    const shown = found.slice(0, limit);
    const texts = await wordsOfTexts(client.local, shown, { signal });
    return listResult(shown, found.length > limit, toolContext.fenceId(), texts);
  },
});

const MOST_CHARACTERS = 100_000;

const readMessage = tool('read_message', {
  description: 'Read a mail. visible is what a person sees.',
  input: z.object({
    message_id: MESSAGE_ID,
    part: z.enum(MESSAGE_PARTS).default('visible'),
    max_chars: z.int().min(1).max(MOST_CHARACTERS).optional(),
  }),
  output: z.object(MESSAGE_FIELDS),
  isReading: true,
  run: async ({ toolContext, signal }, { message_id: id, part, max_chars: maxChars }) => {
    const message = await findMessage(await toolContext.client(), id, { signal });
    return messageResult(message, { fenceId: toolContext.fenceId(), part, maxChars }, await toolContext.see(message));
  },
});

export const createMailbox = tool('create_mailbox', {
  description: 'Make a mailbox of your own. All mail to its subdomain comes there.',
  input: z.object({ name: z.string().min(1).max(60).default('agent') }),
  output: z.object({ mailbox_id: z.string(), address: z.string() }),
  run: async ({ toolContext, signal }, { name }) => {
    const { id, address } = await (await toolContext.client()).mailbox({ name, signal });
    return { mailbox_id: id, address };
  },
});

export const getTotpCode = tool('get_totp_code', {
  description: 'The current two-factor code.',
  input: z.object({
    authenticator: z.string().describe('base32 secret, otpauth:// URI, or id of a stored one'),
  }),
  output: z.object({ code: z.string(), expires_at: z.string() }),
  isReading: true,
  run: async ({ toolContext, signal }, { authenticator }) => {
    const client = await toolContext.client();
    const given = authenticator.trim();
    const { code, expiresAt } =
      /^[0-9A-HJKMNP-TV-Z]{26}$/.test(given) && /[0189]/.test(given)
        ? await client.getTotpCode(given, { signal })
        : await client.local.computeTotp(/^otpauth:/i.test(given) ? { uri: given } : { secret: given }, { signal });
    const plain = plainCode(code);
    if (plain === null) throw new ToolError('The server answered with no code.');
    return { code: plain, expires_at: expiresAt };
  },
});

export const checkMessage = tool('check_message', {
  description: 'Check a mail: client support, links, placeholders, unsubscribe, accessibility, size, authentication.',
  input: z.object({ message_id: MESSAGE_ID }),
  output: z.object({
    passed: z.boolean(),
    errors: z.int(),
    warnings: z.int(),
    rules: z.array(z.string()),
    content: z.string(),
  }),
  isReading: true,
  run: async ({ toolContext, signal }, { message_id }) => {
    const client = await toolContext.client();
    const { id } = await findMessage(client, message_id, { signal });
    return checksResult(await client.local.checkMessage(id, {}, { signal }), toolContext.fenceId());
  },
});

export const diagnoseMailbox = tool('diagnose', {
  description: 'Why no mail matched in the last 5 minutes: what came, went elsewhere, or was refused by SMTP.',
  input: z.object({ mailbox: MAILBOX, ...FILTER }),
  output: z.object({ reason: z.string(), content: z.string() }),
  isReading: true,
  run: async (call, { mailbox: named, ...given }) => {
    const client = await call.toolContext.client();
    const mailbox = await findMailboxMeant(client, named, { signal: call.signal });
    return { ...(await diagnose(call, client, mailbox, filterFor(mailbox, given))) };
  },
});

const STAGES = ['connect', 'helo', 'auth', 'mail', 'rcpt', 'data', 'end', 'http'] as const;

const RULE = z.object({
  stage: z.enum(STAGES),
  match: z.record(z.string(), z.string()).optional().describe('globs by name, as {"to": "*@x.test"}'),
  reply: z.string().optional().describe('SMTP reply, as 451 4.7.1 later'),
  status: z.int().optional().describe('for http'),
  delay_ms: z.int().optional(),
  drop: z.boolean().optional(),
  times: z.int().optional(),
});
type GivenRule = z.infer<typeof RULE>;

const addFaults = tool('add_faults', {
  description: 'Make the server fail on purpose, until remove_faults.',
  cap: 'faults',
  input: z.object({
    rules: z.array(RULE),
  }),
  output: z.object({ ids: z.array(z.string()) }),
  run: async ({ toolContext, signal }, { rules }) => {
    const client = await toolContext.client();
    const ids: string[] = [];
    try {
      for (const rule of rules) ids.push((await client.local.addFault(faultOf(rule), { signal })).id);
    } catch (error) {
      // The call adds all of its rules or none. Another agent may meanwhile remove all, so a missing rule is no error.
      await Promise.allSettled(ids.map((id) => client.local.removeFault(id)));
      throw error;
    }
    return { ids };
  },
});

function faultOf({ stage, match, reply, status, delay_ms: delayMs, drop, times }: GivenRule): FaultRule {
  return {
    stage,
    match,
    times,
    action: { reply: status === undefined ? reply : { status }, delayMs, drop: drop === true ? true : undefined },
  };
}

export const removeFaults = tool('remove_faults', {
  description: 'Remove fault rules by id; without ids all, those of others too.',
  cap: 'faults',
  input: z.object({ ids: z.array(z.string()).optional() }),
  output: z.object({ removed: z.int() }),
  run: async ({ toolContext, signal }, { ids }) => {
    const client = await toolContext.client();
    if (ids === undefined) {
      const { length } = await client.local.listFaults({ signal });
      await client.local.setFaults([], { signal });
      return { removed: length };
    }
    const outcomes = await Promise.all(
      // A rule that is gone already counts as not removed.
      ids.map((id) => client.local.removeFault(id, { signal }).then(() => true, onRefusal('not_found', false))),
    );
    return { removed: outcomes.filter(Boolean).length };
  },
});

const scriptAnswers = tool('script_answers', {
  description: 'Set the answers to the next requests to a webhook, one each.',
  cap: 'faults',
  input: z.object({
    webhook: z.string().describe('id, name or URL'),
    answers: z.array(
      z.object({
        status: z.int().optional(),
        body: z.string().optional(),
        delay_ms: z.int().optional(),
        drop: z.boolean().optional(),
      }),
    ),
  }),
  output: z.object({ answers: z.int() }),
  run: async ({ toolContext, signal }, { webhook, answers }) => {
    const client = await toolContext.client();
    const { id } = await findWebhook(client, webhook, { signal });
    const set = await client.local.setResponses(
      id,
      answers.map(({ delay_ms: delayMs, drop, ...rest }) => ({
        ...rest,
        delayMs,
        drop: drop === true ? true : undefined,
      })),
      { signal },
    );
    return { answers: set.length };
  },
});

const waitForWebhook = tool('wait_for_webhook', {
  description:
    'Wait for an HTTP request to a webhook that no wait returned yet. Without webhook: makes a URL and returns it at once.',
  input: z.object({
    webhook: z.string().optional().describe('id, name or URL'),
    timeout: TIMEOUT,
  }),
  output: z.object({
    webhook_id: z.string(),
    url: z.string(),
    found: z.boolean(),
    reason: z.string().optional(),
    request_id: z.string().optional(),
    method: z.string().optional(),
    received_at: z.string().optional(),
    content: z.string(),
  }),
  run: async (call, { webhook: named, timeout }) => {
    const { toolContext, signal } = call;
    const client = await toolContext.client();
    const webhook = named === undefined ? null : await findWebhook(client, named, { signal });
    if (webhook === null) {
      const { id, url } = await createWebhook(client, { signal });
      toolContext.made.add(id);
      return { webhook_id: id, url, found: false, reason: 'The URL is new.', content: '' };
    }
    const { id: webhook_id, url } = webhook;
    const waited = await waitForNewRequest(call, client, webhook_id, timeout);
    if ('reason' in waited) return { webhook_id, url, found: false, reason: waited.reason, content: '' };
    const request = await client.getCapturedRequest(waited.id, { signal });
    return { webhook_id, url, found: true, ...requestResult(request, toolContext.fenceId()) };
  },
});

/** Every tool, in the order in which agents see them. No tool sends mail, and none requests a URL of a mail. */
const TOOLS: readonly Tool[] = [
  createMailbox,
  waitForMessage,
  listMessages,
  readMessage,
  checkMessage,
  diagnoseMailbox,
  getTotpCode,
  waitForWebhook,
  addFaults,
  removeFaults,
  scriptAnswers,
];

/** Returns the tools of an agent: the eight, and those of its capabilities. */
export function toolsFor(caps: readonly Cap[]): readonly Tool[] {
  return TOOLS.filter(({ cap }) => cap === null || caps.includes(cap));
}
