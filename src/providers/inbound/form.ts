import type { InboundFile } from './mail.ts';

/** A field of a form: a text or a file. One whose value is null is left out. */
export type FormPart = readonly [name: string, value: string | InboundFile | null];

/** Writes a form: with `multipart/form-data`, or, without files, as a browser writes a simple one. */
export async function writtenForm(
  parts: readonly FormPart[],
  isMultipart: boolean,
): Promise<{ readonly type: string; readonly body: Buffer }> {
  const form = isMultipart ? new FormData() : new URLSearchParams();
  for (const [name, value] of parts) {
    if (value === null) continue;
    if (typeof value === 'string') form.append(name, value);
    else if (form instanceof FormData)
      form.append(name, new Blob([new Uint8Array(value.content)], { type: value.type }), value.name);
  }
  const response = new Response(form);
  const type = response.headers.get('content-type') ?? 'multipart/form-data';
  return { type, body: Buffer.from(await response.arrayBuffer()) };
}

/** The files of a mail as fields, named by `field` and a number, and the fields of those that the HTML shows. */
export function fileFields(files: readonly InboundFile[], field: string) {
  const named = files.map((file, at) => [`${field}${at + 1}`, file] as const);
  const shown = named.flatMap(([name, { contentId }]) => (contentId === null ? [] : [[contentId, name] as const]));
  return { named, shown };
}
