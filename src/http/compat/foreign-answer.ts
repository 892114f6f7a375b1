import { Readable } from 'node:stream';
import { readRaw } from '../../actions/read-message.ts';
import type { Context } from '../../context.ts';
import { attachmentDisposition, mediaTypeOr } from '../../domain/content.ts';
import type { Message } from '../../domain/message.ts';
import type { Attachment } from '../../ports/parser.ts';
import { Download, HARMLESS } from '../answer.ts';

/** Answers with a text that no browser treats as a page of ours. */
export function plainText(text: string): Download {
  const bytes = Buffer.from(text);
  const headers = { ...HARMLESS, 'Content-Type': 'text/plain; charset=utf-8' };
  return new Download(headers, bytes.length, () => Readable.from([bytes]));
}

/** Answers 200 without content. */
export function nothing(): Download {
  return new Download({}, 0, () => Readable.from([]));
}

/** Answers with the exact bytes of a message, as text that a browser shows. */
export function source(ctx: Context, message: Message): Download {
  const headers = { ...HARMLESS, 'Content-Type': 'text/plain; charset=utf-8' };
  return new Download(headers, message.sizeBytes, () => readRaw(ctx, message));
}

/** Answers with the exact bytes of a message, as a file that a browser saves. */
export function sourceFile(ctx: Context, message: Message): Download {
  const disposition = attachmentDisposition(`${message.id}.eml`);
  const headers = { ...HARMLESS, 'Content-Type': 'message/rfc822', 'Content-Disposition': disposition };
  return new Download(headers, message.sizeBytes, () => readRaw(ctx, message));
}

/** Answers with a file of a message, which no browser treats as a page of ours. */
export function file({ contentType, filename, content }: Attachment): Download {
  const headers = {
    ...HARMLESS,
    'Content-Type': mediaTypeOr(contentType, 'application/octet-stream'),
    'Content-Disposition': attachmentDisposition(filename),
  };
  return new Download(headers, content.length, () => Readable.from([content]));
}
