import { createHmac } from 'node:crypto';
import type { DoorCall } from '../door.ts';
import { type JsonObject, jsonObjectIn } from '../fields.ts';
import { FormFields } from '../form-fields.ts';
import { refuseSaying } from './errors.ts';

// Mailgun's requests have a domain in the path, and a form.

/** The longest JSON of a field: variables for a thousand recipients. */
const LONGEST_JSON = 1024 * 1024;

/** The fields of a form by their names. PHP numbers the fields of a list, such as attachment[0]. */
export class Form extends FormFields {
  constructor(call: DoorCall) {
    super(call, (name) => name.replace(/^(?![hv]:)([a-z:-]+)\[\d{0,4}\]$/, '$1'));
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
