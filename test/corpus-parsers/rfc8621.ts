/** A part of a mail as a parser read it. */
export interface Part {
  readonly type: string;
  readonly disposition: string | null;
  readonly name: string | null;
  readonly parts?: readonly Part[];
  readonly text?: unknown;
}

/** Returns the text and the HTML of a mail by the algorithm of RFC 8621 4.1.4. Undefined if a part could not be read. */
export function bodyOf(mail: Part): { readonly text: unknown; readonly html: unknown } {
  const lists = { text: [] as Part[], html: [] as Part[] };
  sort([mail], 'mixed', false, lists.html, lists.text);
  return { text: joined(lists.text, 'text/plain'), html: joined(lists.html, 'text/html') };
}

function joined(parts: readonly Part[], type: string): unknown {
  const texts = parts.filter((part) => part.type === type).map(({ text }) => text);
  if (texts.some((text) => typeof text !== 'string')) return undefined;
  return texts.length === 0 ? null : texts.join('\n');
}

const isMedia = (type: string) => /^(image|audio|video)\//.test(type);

/** `parseStructure` of RFC 8621 4.1.4, without the attachments. */
function sort(
  parts: readonly Part[],
  multipart: string,
  inAlternative: boolean,
  html: Part[] | null,
  text: Part[] | null,
): void {
  const before = { html: html?.length ?? -1, text: text?.length ?? -1 };
  let [htmlBody, textBody] = [html, text];
  for (const [at, part] of parts.entries()) {
    const { type, name, disposition } = part;
    const isBody = type === 'text/plain' || type === 'text/html' || isMedia(type);
    const isFirst = at === 0 || (multipart !== 'related' && (isMedia(type) || !name));
    if (type.startsWith('multipart/')) {
      const kind = type.slice('multipart/'.length);
      sort(part.parts ?? [], kind, inAlternative || kind === 'alternative', htmlBody, textBody);
    } else if (disposition !== 'attachment' && isBody && isFirst) {
      if (multipart === 'alternative') {
        if (type === 'text/plain') textBody?.push(part);
        else if (type === 'text/html') htmlBody?.push(part);
        continue;
      }
      if (inAlternative && type === 'text/plain') htmlBody = null;
      if (inAlternative && type === 'text/html') textBody = null;
      textBody?.push(part);
      htmlBody?.push(part);
    }
  }
  if (multipart !== 'alternative' || textBody === null || htmlBody === null) return;
  if (before.text === textBody.length && before.html !== htmlBody.length) textBody.push(...htmlBody.slice(before.html));
  else if (before.html === htmlBody.length && before.text !== textBody.length)
    htmlBody.push(...textBody.slice(before.text));
}
