import type { MailFile, ProviderRecord } from '../domain/provider.ts';
import { isUrl } from '../text/url.ts';
import {
  base64In,
  customHeaders,
  fieldOf,
  filenameIn,
  isHeaderText,
  isMissing,
  isText,
  type JsonObject,
  mediaTypeIn,
  objectOf,
} from './fields.ts';

// Parts of a request that several providers have in one form. Each provider words the refusal, and gives the names of fields.

/** What is wrong with a part of a request, in a sentence that follows the name of its field. */
export const WRONG = {
  object: 'must be an object',
  list: 'must be a list',
  text: 'must be a text',
  address: 'is not a valid email address',
  missing: 'is required',
  too_many: 'has too many entries',
  line_break: 'holds a line break, or is too long',
  header: 'is a header that can’t be set: its name or value is not valid, or the mail has it anyway',
  content: 'must be base64',
  filename: 'must be the name of a file, without line breaks',
  content_id: 'is not a valid Content-ID',
  too_large: 'are too large together',
  url: 'must be an http or https URL',
} as const;
export type Wrong = keyof typeof WRONG;

/** Makes the provider's refusal of a field, such as `to.0.email`. `given` is its value, if a refusal may show it. */
export type Refuse = (field: string, wrong: Wrong, given?: string) => Error;

/** Reads the header fields that an app adds: an object, or a list of objects with a name and a value. */
export function addedHeaders(
  value: unknown,
  field: string,
  refuse: Refuse,
  [nameField, valueField]: readonly [string, string] = ['name', 'value'],
) {
  if (isMissing(value)) return { headers: [], messageId: null };
  const object = objectOf(value);
  if (object === null && !Array.isArray(value)) throw refuse(field, 'list');
  const pairs =
    object !== null
      ? Object.entries(object)
      : (value as unknown[]).map((one) => {
          const header = objectOf(one) ?? {};
          return [String(fieldOf(header, nameField) ?? ''), fieldOf(header, valueField)] as const;
        });
  const read = customHeaders(pairs);
  if ('refused' in read) throw refuse(`${field}.${shownName(read.refused)}`, 'header');
  return read;
}

/** Returns the name of a header as a refusal can show it. */
function shownName(name: string): string {
  return /^[\w-]{1,80}$/.test(name) ? name : JSON.stringify(name.slice(0, 80));
}

/** The form of a provider's files: the names of the fields, and what is allowed. */
export interface FileForm {
  readonly content: string;
  readonly filename: string;
  readonly type: string | null;
  /** The fields that can hold the Content-ID. */
  readonly contentId: readonly string[];
  /** The field that tells by `inline` whether the Content-ID counts. Null: it always does. */
  readonly disposition: string | null;
  /** The bytes of all files of a mail, at most. */
  readonly mostBytes: number;
  readonly mayLackName?: boolean;
  /** Reads the content. Absent: base64. */
  readonly decode?: (value: unknown) => Uint8Array | null;
}

/** The files of a mail, at most. Each is a part of its own. */
const MOST_FILES = 500;

/** Reads the files of a mail. */
export function filesIn(value: unknown, field: string, form: FileForm, refuse: Refuse): MailFile[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw refuse(field, 'list');
  if (value.length > MOST_FILES) throw refuse(field, 'too_many');
  let bytes = 0;
  return value.map((one: unknown, index) => {
    const given = objectOf(one) ?? {};
    const place = (name: string) => `${field}.${index}.${name}`;
    const content = (form.decode ?? base64In)(fieldOf(given, form.content));
    if (content === null) throw refuse(place(form.content), 'content');
    bytes += content.length;
    if (bytes > form.mostBytes) throw refuse(field, 'too_large');
    const name = fieldOf(given, form.filename);
    const filename = filenameIn(name);
    if (filename === null && !(form.mayLackName === true && isMissing(name)))
      throw refuse(place(form.filename), 'filename');
    return {
      filename,
      content,
      contentType: form.type === null ? null : mediaTypeIn(fieldOf(given, form.type)),
      contentId: contentIdIn(given, form, place, refuse),
    };
  });
}

function contentIdIn(given: JsonObject, form: FileForm, place: (name: string) => string, refuse: Refuse) {
  const { disposition } = form;
  const name = form.contentId.find((one) => !isMissing(fieldOf(given, one)));
  if (name === undefined) return null;
  if (disposition !== null && String(fieldOf(given, disposition) ?? '').toLowerCase() !== 'inline') return null;
  const value = fieldOf(given, name);
  const id = isText(value) ? value.replace(/^cid:/, '').replace(/^<(.*)>$/, '$1') : '';
  if (!/^[^\s<>]{1,128}$/.test(id) || !isHeaderText(id)) throw refuse(place(name), 'content_id');
  return id;
}

/** Reads the URL of a webhook of the app. */
export function webhookUrlIn(value: unknown, field: string, refuse: Refuse): string {
  if (!isText(value) || !/^https?:\/\//.test(value) || !isUrl(value)) throw refuse(field, 'url');
  return value;
}

/** Returns the moment as ISO 8601 writes it. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** Returns when a record was stored, as ISO 8601 writes it. */
export function storedAt({ createdAt }: Pick<ProviderRecord, 'createdAt'>): string {
  return isoTime(createdAt);
}
