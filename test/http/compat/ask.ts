import { createHash } from 'node:crypto';

// The questions to a server, and its answers in a form that can be compared: an id becomes the number of its mail.

/** An answer: JSON, or the type and hash of other content. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

export type Recording = Readonly<Record<string, Answer>>;

/** Asks a server and returns the answer. JSON is parsed; of other content a hash is kept, or the text if it is short. */
export async function ask(url: string, method = 'GET', body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  return { status: response.status, type, body: contentOf(type, bytes) };
}

function contentOf(type: string, bytes: Buffer): unknown {
  if (/json$/.test(type)) return bytes.length === 0 ? '' : JSON.parse(bytes.toString());
  if (bytes.length <= 100) return bytes.toString();
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The questions to Mailpit: every route that reads, and searches with each of its words. */
export const MAILPIT_SEARCHES = [
  'to:ada',
  'from:"shop, inc"',
  'from:shop@sender.test',
  'cc:juergen',
  'reply-to:help@',
  'addressed:grace@inbox.test',
  'subject:"Grüße from react"',
  'subject:newsletter',
  'message-id:react-email-code.html@sender.test',
  'has:attachment',
  '!has:attachment',
  'has:inline',
  'larger:10k',
  'smaller:1kb',
  'is:unread',
  '!is:unread',
  'tag:none',
  'is:tagged',
  '481516',
  'code subject:grüße -newsletter',
  'after:2026-01-01',
  'before:2000-01-01',
] as const;

/** Asks a Mailpit server everything. `ids` are the ids of the mails, in the order in which they were sent. */
export async function askMailpit(base: string): Promise<{ recording: Recording; ids: readonly string[] }> {
  const recording: Record<string, Answer> = {};
  const api = `${base}/api/v1`;
  const list = await ask(`${api}/messages?limit=100`);
  const ids = rows(list.body, 'messages')
    .map((row) => String(row['ID']))
    .reverse();
  for (const query of MAILPIT_SEARCHES) {
    recording[`search ${query}`] = found(
      await ask(`${api}/search?limit=100&query=${encodeURIComponent(query)}`),
      'messages',
      'ID',
    );
  }
  recording['search without query'] = await ask(`${api}/search`);
  recording['messages'] = list;
  recording['messages start=3 limit=2'] = await ask(`${api}/messages?start=3&limit=2`);
  recording['messages start=99'] = await ask(`${api}/messages?start=99`);
  recording['tags'] = await ask(`${api}/tags`);
  for (const [at, id] of ids.entries()) {
    const message = await ask(`${api}/message/${id}`);
    recording[`message ${at}`] = message;
    recording[`headers ${at}`] = await ask(`${api}/message/${id}/headers`);
    recording[`raw ${at}`] = await ask(`${api}/message/${id}/raw`);
    for (const [kind, name] of [
      ['Attachments', 'attachment'],
      ['Inline', 'inline'],
    ] as const)
      for (const [number, part] of rows(message.body, kind).entries())
        recording[`${name} ${at} ${number}`] = await ask(`${api}/message/${id}/part/${String(part['PartID'])}`);
  }
  recording['latest'] = await ask(`${api}/message/latest`);
  recording['latest of a search'] = await ask(`${api}/message/latest?query=${encodeURIComponent('subject:code')}`);
  recording['unknown message'] = await ask(`${api}/message/nobody`);
  recording['text'] = await ask(`${base}/view/latest.txt`);
  recording['delete by search'] = await ask(`${api}/search?query=${encodeURIComponent('subject:code')}`, 'DELETE');
  recording['delete one'] = await ask(`${api}/messages`, 'DELETE', { IDs: [ids[0]] });
  recording['messages after deletes'] = found(await ask(`${api}/messages?limit=1`), 'messages', 'ID');
  recording['delete all'] = await ask(`${api}/messages`, 'DELETE');
  recording['messages after all'] = await ask(`${api}/messages`);
  return { recording, ids };
}

export const MAILHOG_SEARCHES = [
  ['to', 'user3@inbox.test'],
  ['to', 'ADA'],
  ['from', 'bounces+2@'],
  ['from', 'shop@sender.test'],
  ['containing', '<shop@sender.test>'],
  ['containing', 'Subject'],
  ['containing', 'nowhere to be found'],
] as const;

/** Asks a MailHog server everything. */
export async function askMailhog(base: string): Promise<{ recording: Recording; ids: readonly string[] }> {
  const recording: Record<string, Answer> = {};
  const list = await ask(`${base}/api/v2/messages?limit=100`);
  const ids = rows(list.body, 'items')
    .map((row) => String(row['ID']))
    .reverse();
  recording['messages'] = list;
  recording['messages start=3 limit=2'] = found(await ask(`${base}/api/v2/messages?start=3&limit=2`), 'items', 'ID');
  for (const [kind, query] of MAILHOG_SEARCHES)
    recording[`search ${kind} ${query}`] = found(
      await ask(`${base}/api/v2/search?kind=${kind}&query=${encodeURIComponent(query)}`),
      'items',
      'ID',
    );
  recording['search of no kind'] = await ask(`${base}/api/v2/search?kind=nothing&query=x`);
  recording['search without query'] = await ask(`${base}/api/v2/search?kind=to`);
  recording['message 0'] = await ask(`${base}/api/v1/messages/${encodeURIComponent(ids[0] ?? '')}`);
  recording['part 3 1'] = await ask(`${base}/api/v1/messages/${encodeURIComponent(ids[3] ?? '')}/mime/part/1/download`);
  recording['delete one'] = await ask(`${base}/api/v1/messages/${encodeURIComponent(ids[0] ?? '')}`, 'DELETE');
  recording['messages after one'] = found(await ask(`${base}/api/v2/messages?limit=1`), 'items', 'ID');
  recording['delete all'] = await ask(`${base}/api/v1/messages`, 'DELETE');
  recording['messages after all'] = await ask(`${base}/api/v2/messages`);
  return { recording, ids };
}

export const MAILDEV_FILTERS = [
  'subject=Testing%20123',
  'from.address=shop@sender.test',
  'to.address=ada@inbox.test',
  'envelope.from.address=bounces%2B2@sender.test',
  'subject=nothing',
  'skip=2&limit=2',
  'skip=1&limit=3&sort=desc',
] as const;

/** Asks a MailDev server everything. `path` is the path of its API: `/email` up to version 2, `/api/email` from 3. */
export async function askMaildev(
  base: string,
  path: string,
): Promise<{ recording: Recording; ids: readonly string[] }> {
  const recording: Record<string, Answer> = {};
  const list = await ask(`${base}${path}`);
  const ids = rows(list, 'body').map((row) => String(row['id']));
  recording['emails'] = found(list, null, 'id');
  for (const filter of MAILDEV_FILTERS)
    recording[`emails ${filter}`] = found(await ask(`${base}${path}?${filter}`), null, 'id');
  recording['summary'] = await ask(`${base}${path}/summary?limit=2&skip=1`);
  for (const [at, id] of ids.entries()) {
    const email = await ask(`${base}${path}/${id}`);
    recording[`email ${at}`] = email;
    recording[`source ${at}`] = await ask(`${base}${path}/${id}/source`);
    for (const [number, file] of rows(email.body, 'attachments').entries())
      recording[`attachment ${at} ${number}`] = await ask(
        `${base}${path}/${id}/attachment/${encodeURIComponent(String(file['generatedFileName']))}`,
      );
  }
  recording['unknown email'] = await ask(`${base}${path}/nobody00`);
  recording['delete one'] = await ask(`${base}${path}/${ids[0]}`, 'DELETE');
  recording['delete unknown'] = await ask(`${base}${path}/nobody00`, 'DELETE');
  recording['delete some'] = await ask(`${base}${path}/delete`, 'POST', { ids: [ids[1], 'nobody00'] });
  recording['delete all'] = await ask(`${base}${path}/all`, 'DELETE');
  recording['emails after all'] = await ask(`${base}${path}`);
  return { recording, ids };
}

/** Keeps of a list only the ids of its rows, as other answers hold the rows. */
function found(answer: Answer, field: string | null, id: string): Answer {
  const list = field === null ? rows(answer, 'body') : rows(answer.body, field);
  const ids = list.map((row) => row[id]);
  return { ...answer, body: field === null ? ids : { ...Object(answer.body), [field]: ids } };
}

type Row = Readonly<Record<string, unknown>>;

/** Returns the rows in a field of a value that came over the wire. */
export function rows(value: unknown, field: string): readonly Row[] {
  const list: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  return Array.isArray(list) ? list.filter((row: unknown): row is Row => typeof row === 'object' && row !== null) : [];
}

/** Replaces every id by the number of its mail. */
export function numbered(value: unknown, ids: readonly string[]): unknown {
  const text = JSON.stringify(value);
  const replaced = ids.reduce((all, id, at) => all.replaceAll(JSON.stringify(id).slice(1, -1), `#${at}#`), text);
  return JSON.parse(replaced);
}
