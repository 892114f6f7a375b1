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
  const list = await ask(`${api}/messages?limit=250`);
  const ids = rows(list.body, 'messages')
    .map((row) => String(row['ID']))
    .reverse();
  for (const query of MAILPIT_SEARCHES) {
    recording[`search ${query}`] = found(
      await ask(`${api}/search?limit=250&query=${encodeURIComponent(query)}`),
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
    recording[`text ${at}`] = await ask(`${base}/view/${id}.txt`);
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
  Object.assign(recording, await askMailpitToWork(base));
  return { recording, ids };
}

/** A picture of one pixel. */
const PIXEL = 'R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';

/** The message of Mailpit's documentation of its send, in short. */
export const SENT = {
  From: { Email: 'john@example.com', Name: 'John Doe' },
  to: [{ email: 'jane@example.com', NAME: 'Jane Doe' }],
  Cc: [{ Email: 'manager1@example.com', Name: 'Manager 1' }, { Email: 'manager2@example.com' }],
  Bcc: ['jack@example.com'],
  ReplyTo: [{ Email: 'secretary@example.com', Name: 'Secretary' }],
  Subject: 'Grüße by HTTP',
  Text: 'This is the text body',
  HTML: '<p style="font-family: arial">Mailpit is <b>awesome</b>! <a href="http://127.0.0.1:9/none">x</a></p>',
  Headers: { 'X-IP': '1.2.3.4' },
  Tags: ['Tag 1', 'Tag 2'],
  Attachments: [
    { Content: Buffer.from('plain text').toString('base64'), Filename: 'Attached File.txt' },
    {
      Content: `data:image/gif;base64,${PIXEL}`,
      Filename: 'logo.gif',
      ContentID: 'inline-cid',
      ContentType: 'image/gif',
    },
    { Content: PIXEL, Filename: 'no name' },
  ],
};

/** Requests that Mailpit refuses, each with its body. */
const REFUSED: Readonly<Record<string, readonly [method: string, path: string, body?: unknown]>> = {
  'send without sender': ['POST', '/send', { To: [{ Email: 'jane@example.com' }], Subject: 'x' }],
  'send without recipient': ['POST', '/send', { From: { Email: 'a@x.test' }, Subject: 'x' }],
  'send to no address': ['POST', '/send', { From: { Email: 'a@x.test' }, To: [{ Email: 'nobody' }] }],
  'send with a copy to no address': ['POST', '/send', { From: { Email: 'a@x.test' }, Cc: [{ Email: 'no body' }] }],
  'send with a hidden copy to no address': ['POST', '/send', { From: { Email: 'a@x.test' }, Bcc: ['nobody'] }],
  'send with replies to no address': [
    'POST',
    '/send',
    { From: { Email: 'a@x.test' }, To: [{ Email: 'b@x.test' }], ReplyTo: [{ Email: 'nobody' }] },
  ],
  'send with a field of its own': [
    'POST',
    '/send',
    { From: { Email: 'a@x.test' }, To: [{ Email: 'b@x.test' }], Headers: { subject: 'x' } },
  ],
  'send with a file that is no base64': [
    'POST',
    '/send',
    { From: { Email: 'a@x.test' }, To: [{ Email: 'b@x.test' }], Attachments: [{ Content: 'x', Filename: 'x.txt' }] },
  ],
  'read of ids and a search': ['PUT', '/messages', { Read: true, IDs: ['x'], Search: 'x' }],
  'rename of an unknown tag': ['PUT', '/tags/unknown', { Name: 'x' }],
  'chaos with a code of success': ['PUT', '/chaos', { Sender: { ErrorCode: 250, Probability: 1 } }],
  'chaos with a chance over 100': ['PUT', '/chaos', { Sender: { ErrorCode: 451, Probability: 101 } }],
  'search without query': ['GET', '/search'],
  'deletion by no search': ['DELETE', '/search'],
  'unknown headers': ['GET', '/message/nobody/headers'],
  'unknown source': ['GET', '/message/nobody/raw'],
  'unknown HTML check': ['GET', '/message/nobody/html-check'],
  'unknown link check': ['GET', '/message/nobody/link-check'],
  'release of an unknown message': ['POST', '/message/nobody/release', { To: ['a@x.test'] }],
  'latest of none': ['GET', '/message/latest'],
};

/** Asks a Mailpit server without messages for what it does beside listing. */
async function askMailpitToWork(base: string): Promise<Recording> {
  const recording: Record<string, Answer> = {};
  const api = `${base}/api/v1`;
  for (const [what, [method, path, body]] of Object.entries(REFUSED))
    recording[what] = await ask(api + path, method, body);
  recording['view of none'] = await ask(`${base}/view/latest.html`);
  recording['text of none'] = await ask(`${base}/view/nobody.txt`);
  recording['chaos'] = await ask(`${api}/chaos`);
  recording['chaos set'] = await ask(`${api}/chaos`, 'PUT', {
    sender: { probability: 7 },
    Recipient: { ErrorCode: 452 },
  });
  recording['chaos kept'] = await ask(`${api}/chaos`);
  recording['chaos reset'] = await ask(`${api}/chaos`, 'PUT', {});
  recording['webui'] = await ask(`${api}/webui`);
  recording['info'] = shapeOf(await ask(`${api}/info`));
  const sent = await ask(`${api}/send`, 'POST', SENT);
  const id = String(Reflect.get(Object(sent.body), 'ID'));
  recording['send'] = sent;
  recording['sent list'] = await ask(`${api}/messages`);
  const message = await ask(`${api}/message/${id}`);
  recording['sent message'] = message;
  recording['sent text'] = await ask(`${base}/view/${id}.txt`);
  for (const [number, part] of [...rows(message.body, 'Attachments'), ...rows(message.body, 'Inline')].entries()) {
    const path = `${api}/message/${id}/part/${String(part['PartID'])}`;
    recording[`sent part ${number}`] = await ask(path);
    recording[`sent thumbnail ${number}`] = shapeOf(await ask(`${path}/thumb`));
  }
  recording['sent tags'] = await ask(`${api}/tags`);
  recording['sent found by tag'] = found(
    await ask(`${api}/search?query=${encodeURIComponent('tag:"TAG 1"')}`),
    'messages',
    'ID',
  );
  recording['HTML check'] = shapeOf(await ask(`${api}/message/${id}/html-check`));
  recording['link check'] = await ask(`${api}/message/${id}/link-check`);
  recording['spam check'] = await ask(`${api}/message/${id}/sa-check`);
  recording['release to no address'] = await ask(`${api}/message/${id}/release`, 'POST', { To: ['nobody'] });
  recording['release to nobody'] = await ask(`${api}/message/${id}/release`, 'POST', { To: [] });
  recording['sent deleted'] = await ask(`${api}/messages`, 'DELETE', { ids: [id] });
  return JSON.parse(JSON.stringify(recording).replaceAll(id, '#sent#'));
}

/** Keeps the types of the values in an answer, and of a list those of its first entry. */
function shapeOf(answer: Answer): Answer {
  return { ...answer, body: typesIn(answer.body) };
}

function typesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(typesIn);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typesIn(one)]));
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
  const list = await ask(`${base}/api/v2/messages?limit=250`);
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
  const newestFirst = rows(list.body, 'items');
  for (const [at, id] of ids.entries()) {
    const path = `${base}/api/v1/messages/${encodeURIComponent(id)}`;
    recording[`message ${at}`] = await ask(path);
    recording[`source ${at}`] = await ask(`${path}/download`);
    // MailHog ends the connection if a mail has no such part.
    const parts = rows(newestFirst.at(-1 - at)?.['MIME'], 'Parts');
    for (const part of parts.keys()) recording[`part ${at} ${part}`] = await ask(`${path}/mime/part/${part}/download`);
  }
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
