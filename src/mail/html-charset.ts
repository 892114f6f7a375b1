// The charset that an HTML part without one names in itself, as browsers find it (WHATWG HTML 13.2.3.2).

/** The number of bytes that browsers search for a declaration. */
const SEARCHED_BYTES = 1024;
/** The bytes that hold as many in any transfer encoding. */
const ENCODED_BYTES = 4 * SEARCHED_BYTES;

const META = /<meta\s[^<>]*>/gi;
const COMMENT = /<!--.*?(?:-->|$)/gs;
const CHARSET = /\bcharset\s*=\s*(?:"\s*|'\s*)?([\w.:+-]{1,60})/i;
/** These would make every second byte of the declaration a NUL. Browsers read UTF-8 instead. */
const TWO_BYTES = /^utf-?16(?:le|be)?$/i;

/** Returns the charset that the start of an HTML body declares. Null if it declares none. */
export function charsetOfHtml(body: Buffer, encoding: string): string | null {
  const start = decodedStart(body.subarray(0, ENCODED_BYTES), encoding).subarray(0, SEARCHED_BYTES);
  const text = start.toString('latin1').replace(COMMENT, '');
  for (const [meta] of text.matchAll(META)) {
    const charset = CHARSET.exec(meta)?.[1];
    if (charset !== undefined) return TWO_BYTES.test(charset) ? 'utf-8' : charset;
  }
  return null;
}

function decodedStart(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  if (encoding !== 'quoted-printable') return bytes;
  const text = bytes
    .toString('latin1')
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}
