import type { DoorField } from '../door.ts';

/** Writes a form: with `multipart/form-data`, or, without files, as a browser writes a simple one. */
export async function writtenForm(
  fields: readonly DoorField[],
  isMultipart: boolean,
): Promise<{ readonly type: string; readonly body: Buffer }> {
  if (!isMultipart) {
    const form = new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value]));
    return { type: 'application/x-www-form-urlencoded', body: Buffer.from(form.toString()) };
  }
  const form = new FormData();
  for (const { name, value, file } of fields)
    if (file === undefined) form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(file.content)], { type: file.type }), file.name);
  const response = new Response(form);
  const type = response.headers.get('content-type') ?? 'multipart/form-data';
  return { type, body: Buffer.from(await response.arrayBuffer()) };
}
