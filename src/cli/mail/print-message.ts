import type {
  AwaitMessageQuery,
  Checks,
  Client,
  LinkKind,
  MailboxResponse,
  MessageDetailResponse,
  MessageSummaryResponse,
} from '../../client/index.ts';
import type { Extract } from '../../mcp/results.ts';
import { harmlessLine, harmlessText } from '../../text/harmless.ts';
import { NO_SUBJECT } from '../../text/wording.ts';
import { randomBytes } from '../clock.ts';
import { outputStyles, print, printJson, writeMoment, writeSize } from '../output.ts';

// A message is printed for a person, or for an agent. The modules that read mails, and those that write for agents, are
// loaded when they are needed.

const MAX_LINKS = 10;

/** Prints a message for a person, codes and links first. Control characters in it are made harmless. */
export async function printMessage(message: MessageDetailResponse): Promise<void> {
  const { bold, dim } = outputStyles();
  const { textBody, htmlBody, subject } = message;
  const { codesOf, linksOf } = await import('./find-in-message.ts');
  const rows: [string, string | null][] = [
    ['From', message.from],
    ...recipientsOf(message),
    ['Reply-To', message.replyTo],
    ['Received', writeMoment(message.receivedAt)],
    ...codesOf(message).codes.map(({ code }): [string, string] => ['Code', code]),
    ...linksOf(message)
      .slice(0, MAX_LINKS)
      .map(({ kind, url }): [string, string] => [kind === 'other' ? 'Link' : `Link, ${kind}`, url]),
    ...message.attachments.map(({ filename, contentType, sizeBytes }): [string, string] => [
      'Attachment',
      `${filename ?? 'without a name'} (${contentType ?? 'unknown type'}, ${writeSize(sizeBytes)})`,
    ]),
  ];
  const told = rows.filter(([, value]) => value);
  const nameWidth = Math.max(...told.map(([name]) => name.length));
  const lines = [
    bold(harmlessLine(subject || NO_SUBJECT)),
    dim(`${message.id}, ${writeSize(message.sizeBytes)}`),
    '',
    ...told.map(([name, value]) => `${dim(name.padEnd(nameWidth))}  ${harmlessLine(value ?? '', 2_000)}`),
    '',
    harmlessText((textBody ?? (await readableTextOf(htmlBody))).trimEnd()),
  ];
  print(lines.join('\n'));
}

/** Returns HTML as text with its bullets, alternative texts and link targets, as the terminal inbox shows it. */
async function readableTextOf(html: string | null): Promise<string> {
  if (html === null) return '';
  const { readableText } = await import('../../extract/readable-text.ts');
  return readableText(html, () => null).text;
}

/**
 * Returns the rows of recipients. If a mail has no To header, the API repeats its recipients in To and Bcc; here they
 * appear once.
 */
function recipientsOf({ to, cc, bcc, headersJson }: MessageDetailResponse): [string, string | null][] {
  const hasTo = hasHeader(headersJson, 'to');
  const names: [string, string | null][] = [
    ['Cc', cc],
    [hasTo || hasHeader(headersJson, 'bcc') ? 'Bcc' : 'Went to', bcc ?? (hasTo || cc !== null ? null : to)],
  ];
  return [['To', hasTo ? to : '(no To)'], ...names];
}

function hasHeader(headersJson: string | null, name: string): boolean {
  try {
    const headers: unknown = JSON.parse(headersJson ?? '{}');
    return typeof headers === 'object' && headers !== null && Object.hasOwn(headers, name);
  } catch {
    return false;
  }
}

// This is the output of `--agent`: one line of JSON, like the answers of the tools of `mailcap mcp`, with all untrusted
// text inside a fence.

/** The largest length of a message's text, in characters. A command has no second call to read the rest. */
const MAX_CHARACTERS = 4_000;

export async function printMessageForAgent(
  message: MessageDetailResponse,
  extract: Extract = 'none',
  kind?: LinkKind,
): Promise<void> {
  const { messageResult } = await import('../../mcp/results.ts');
  printJson(messageResult(message, { fenceId: await newFenceId(), extract, kind, maxChars: MAX_CHARACTERS }));
}

export async function printListForAgent(messages: readonly MessageSummaryResponse[], more: boolean): Promise<void> {
  const { listResult } = await import('../../mcp/results.ts');
  printJson(listResult(messages, more, await newFenceId()));
}

export async function printChecksForAgent(checks: Checks): Promise<void> {
  const { checksResult } = await import('../../mcp/results.ts');
  printJson(checksResult(checks, await newFenceId()));
}

/** Prints the reason why a wait found nothing. */
export async function printMissForAgent(
  client: Client,
  { id }: MailboxResponse,
  filter: Pick<AwaitMessageQuery, 'subject' | 'from' | 'to'>,
  since: string | null,
): Promise<void> {
  const { diagnosisResult } = await import('../../mcp/results.ts');
  const query = { ...filter, ...(since === null ? {} : { since }) };
  const diagnosis = (await client.hasLocalApi()) ? await client.local.diagnoseMailbox(id, query) : null;
  const told =
    diagnosis === null ? { reason: '', content: '' } : diagnosisResult(diagnosis, await newFenceId(), () => false);
  printJson({ found: false, ...told });
}

async function newFenceId(): Promise<string> {
  const { createFenceId } = await import('../../mcp/fence-id.ts');
  return createFenceId({ bytes: randomBytes });
}
