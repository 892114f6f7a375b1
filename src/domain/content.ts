// What a mail says of its parts goes into headers of ours, so it is written anew, never copied.

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/** The bare media type in lower case, `fallback` for what is none. */
export function mediaTypeOr(contentType: string | null, fallback: string): string {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) ? type : fallback;
}

const LONGEST_FILENAME = 200;

/** RFC 6266: a plain name for old clients, the exact one as RFC 8187 has it. No path, no control character. */
export function attachmentDisposition(filename: string | null): string {
  const name = [...lastSegment(filename ?? '')]
    .slice(0, LONGEST_FILENAME)
    .join('')
    .replace(/\p{Surrogate}/gu, '\ufffd');
  if (name === '' || name === '.' || name === '..') return 'attachment; filename="attachment"';
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, percent);
  return plain === name
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function lastSegment(filename: string): string {
  const segment = filename.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
  return segment.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '').trim();
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
