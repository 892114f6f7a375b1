import { createHmac } from 'node:crypto';
import type { DoorCall, DoorField } from '../door.ts';
import { type JsonObject, jsonObjectIn } from '../fields.ts';
import { refuseSaying } from './errors.ts';

// Mailgun's requests have a domain in the path, and a form.

/** The longest JSON of a field: variables for a thousand recipients. */
const LONGEST_JSON = 1024 * 1024;

/** The fields of a form by their names. */
export class Form {
  readonly #fields: readonly DoorField[];

  constructor({ body }: DoorCall) {
    const fields = body.kind === 'form' ? body.fields : [];
    // PHP numbers the fields of a list, such as attachment[0].
    this.#fields = fields.map((field) => ({
      ...field,
      name: field.name.replace(/^(?![hv]:)([a-z:-]+)\[\d{0,4}\]$/, '$1'),
    }));
  }

  all(name: string): string[] {
    return this.#fields.filter((field) => field.name === name && field.file === undefined).map(({ value }) => value);
  }

  /** Returns the first value of a name; null if there is none or it is empty. */
  one(name: string): string | null {
    return this.all(name)[0] || null;
  }

  /** Returns the fields whose names begin with a text, without it. */
  beginning(start: string): [string, string][] {
    return this.#fields
      .filter(({ name, file }) => name.startsWith(start) && file === undefined)
      .map(({ name, value }) => [name.slice(start.length), value]);
  }

  files(name: string): NonNullable<DoorField['file']>[] {
    return this.#fields.flatMap((field) => (field.name === name && field.file !== undefined ? [field.file] : []));
  }

  /** Returns the object that a field holds as JSON; null if the field is missing. */
  json(name: string): JsonObject | null {
    const text = this.one(name);
    if (text === null) return null;
    const value = jsonObjectIn(text, LONGEST_JSON);
    if (value === null) throw refuseSaying(`'${name}' parameter is not a JSON object of at most 1 MB`);
    return value;
  }

  /** Tells whether a mail is only a test. */
  get isTest(): boolean {
    return /^(?:yes|true)$/i.test(this.one('o:testmode') ?? '');
  }
}

export function domainOf({ params }: DoorCall): string {
  const domain = (params['domain'] ?? '').toLowerCase();
  if (!/^[a-z0-9.-]{1,253}$/.test(domain)) throw refuseSaying(`Domain not found: ${domain.slice(0, 100)}`, 404);
  return domain;
}

/** The key of signatures. It is made of a key of the server, so it needs no record. */
export function httpSigningKey({ ctx, workspaceId }: DoorCall): string {
  return createHmac('sha256', ctx.runtime.ready?.apiKey ?? '')
    .update(`mailgun ${workspaceId}`)
    .digest('hex')
    .slice(0, 32);
}
