import { type Part, StructureReader } from './scan.ts';

/** A MIME part of a mail: a multipart, or one that holds content. */
export interface TreePart {
  /** The number of the part in the order in which the parts begin, from 0, which is the mail. */
  readonly index: number;
  /** The index of the multipart it is in. Null for the mail. */
  readonly parent: number | null;
  readonly type: string;
  readonly contentId: string | null;
  readonly filename: string | null;
  readonly disposition: string;
  readonly charset: string | null;
  readonly encoding: string;
  /** The header of the part, without the empty line. */
  readonly header: Buffer;
  /** The header and the body as they are written. */
  readonly raw: Buffer;
  /** The body as it is written. */
  readonly body: Buffer;
}

const LF = 0x0a;
const CR = 0x0d;
const DELIMITER = '\n--';

/** Reads the parts of a mail, each before those that are in it. It never throws. */
export function readTree(raw: Buffer): TreePart[] {
  const parts: Part[] = [];
  const structure = new StructureReader({ onPart: (part) => parts.push(part) });
  structure.write(raw);
  structure.end();
  const places = new Map(parts.map((part, index) => [part, index]));
  return parts.flatMap((part, index) => {
    const { head, parent, from, to, isEnded } = part;
    if (head === null) return [];
    const start = parent === null ? 0 : headerStart(raw, from);
    const end = withoutBreak(raw, from, Math.min(to, raw.length), isEnded);
    return [
      {
        index,
        parent: parent === null ? null : (places.get(parent) ?? 0),
        type: head.type,
        contentId: head.contentId(),
        filename: head.filename(),
        disposition: head.disposition,
        charset: head.param('charset'),
        encoding: head.encoding,
        header: raw.subarray(start, Math.max(start, from)),
        raw: raw.subarray(start, end),
        body: raw.subarray(from, end),
      },
    ];
  });
}

/** Returns where the header of a part starts: behind the delimiter before its body. */
function headerStart(raw: Buffer, from: number): number {
  const delimiter = raw.lastIndexOf(DELIMITER, Math.max(0, from - 1));
  const lineEnd = raw.indexOf(LF, delimiter + 1);
  return delimiter < 0 || lineEnd < 0 || lineEnd >= from ? from : lineEnd + 1;
}

/** The line break before a delimiter belongs to the delimiter (RFC 2046 5.1.1). */
function withoutBreak(raw: Buffer, from: number, to: number, isEnded: boolean): number {
  if (!isEnded || to <= from || raw[to - 1] !== LF) return to;
  return raw[to - 2] === CR && to - 2 >= from ? to - 2 : to - 1;
}

/** Decodes the body of a part by its transfer encoding. */
export function decodedBody({ encoding, body }: TreePart): Buffer {
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  if (encoding !== 'quoted-printable') return body;
  const text = body
    .toString('latin1')
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}
