import type { MessageDetailResponse } from '../../client/index.ts';
import { harmlessLine, harmlessText } from '../../text/harmless.ts';
import { NO_SUBJECT } from '../../text/wording.ts';
import { outputStyles, print, writeMoment, writeSize } from '../output.ts';

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
