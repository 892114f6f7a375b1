import type { IncomingHttpHeaders } from 'node:http';
import type { Reader, Tx } from '../ports/store.ts';
import { type DoorAnswer, type DoorBody, type DoorCall, DoorRefusal } from './door.ts';

// What the APIs of Amazon have in common: the signature, the form with an Action, and XML.

/** The account that names of resources have, the one that AWS uses in its examples. */
export const ACCOUNT = '123456789012';

export const XML = 'text/xml; charset=utf-8';

/** The signature of version 4. Its form is required; what it signs is not checked. */
const SIGNATURE =
  /^AWS4-(?:HMAC|ECDSA-P256)-SHA256 Credential=([^/,\s]{1,200})\/\d{8}\/(?:([\w-]{1,40})\/)?([a-z]{1,40})\/aws4_request, ?SignedHeaders=[\w;-]+, ?Signature=[0-9a-f]+$/i;

/** Returns the access key id of a request to a service; null without a signature for it. */
export function awsKeyOf({ authorization }: IncomingHttpHeaders, service: 'ses' | 'sns'): string | null {
  const [, key, , named] = SIGNATURE.exec(authorization ?? '') ?? [];
  return key === undefined || named?.toLowerCase() !== service ? null : key;
}

/** Returns the service that a request is signed for, if mailcap has it. */
export function awsServiceOf({ authorization }: IncomingHttpHeaders): 'ses' | 'sns' | null {
  const service = SIGNATURE.exec(authorization ?? '')?.[3]?.toLowerCase();
  return service === 'ses' || service === 'sns' ? service : null;
}

/** Returns the region that a request is signed for. */
export function awsRegionOf({ authorization }: IncomingHttpHeaders): string {
  return SIGNATURE.exec(authorization ?? '')?.[2]?.toLowerCase() ?? 'us-east-1';
}

/** The parameters of an action: `Destination.ToAddresses.member.1`. The first value of a name counts. */
export class QueryForm {
  readonly #values = new Map<string, string>();

  constructor({ body, query }: { readonly body: DoorBody; readonly query: URLSearchParams }) {
    const fields = body.kind === 'form' ? body.fields : [...query].map(([name, value]) => ({ name, value }));
    for (const { name, value } of fields) if (!this.#values.has(name)) this.#values.set(name, value);
  }

  one(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Returns a list, whose members are numbered from 1. `part` names a field of each. */
  list(name: string, part = ''): string[] {
    const found: string[] = [];
    for (let at = 1; at <= 1_000; at++) {
      const value = this.#values.get(`${name}.member.${at}${part}`);
      if (value === undefined) break;
      found.push(value);
    }
    return found;
  }

  /** Returns a map, whose entries are numbered from 1. `key` and `value` name their parts. */
  entries(name: string, key: string, value: string): Map<string, string> {
    const found = new Map<string, string>();
    for (let at = 1; at <= 100; at++) {
      const one = this.#values.get(`${name}.entry.${at}.${key}`);
      if (one === undefined) break;
      found.set(one, this.#values.get(`${name}.entry.${at}.${value}`) ?? '');
    }
    return found;
  }
}

/** The actions of an API that takes a form, by their names. */
export interface QueryActions {
  readonly namespace: string;
  /** The answer has the value that an action returns as its result. */
  readonly reads: ActionsWith<Reader>;
  /** Each runs in one transaction. */
  readonly changes: ActionsWith<Tx>;
  /** Actions that answer by themselves, as those do that send. */
  readonly answers: Readonly<Record<string, (call: DoorCall, form: QueryForm) => Promise<DoorAnswer>>>;
}
export type ActionsWith<Store> = Readonly<
  Record<string, (call: DoorCall, form: QueryForm, store: Store) => XmlValue | Promise<XmlValue> | Promise<void>>
>;

/** Returns the action that a form names; null if there is none. */
export function queryAction(
  { namespace, reads, changes, answers }: QueryActions,
  form: QueryForm,
): ((call: DoorCall) => Promise<DoorAnswer>) | null {
  const name = form.one('Action') ?? '';
  const [read, change, answer] = [ownIn(reads, name), ownIn(changes, name), ownIn(answers, name)];
  const written = (result: unknown) => awsAnswer(namespace, form, (result ?? '') as XmlValue);
  if (read !== null) return async (call) => written(await read(call, form, await call.ctx.store.readNow()));
  if (change !== null) return (call) => call.once(async (tx) => written(await change(call, form, tx)));
  return answer === null ? null : (call) => answer(call, form);
}

function ownIn<T>(table: Readonly<Record<string, T>>, name: string): T | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}

/** Writes the answer of an action. */
export function awsAnswer(namespace: string, form: QueryForm, result: XmlValue): DoorAnswer {
  const action = form.one('Action') ?? '';
  const metadata = '<ResponseMetadata><RequestId>mailcap</RequestId></ResponseMetadata>';
  const body = `<${action}Response xmlns="${namespace}"><${action}Result>${xmlOf(result)}</${action}Result>${metadata}</${action}Response>`;
  return { status: 200, body, type: XML };
}

/** Creates the refusal of an action. */
export function awsRefusal(namespace: string, code: string, message: string, status: number): DoorRefusal {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${inXml(message)}</Message></Error>`;
  const body = `<ErrorResponse xmlns="${namespace}">${error}<RequestId>mailcap</RequestId></ErrorResponse>`;
  return new DoorRefusal({ status, body, type: XML });
}

/** A value of an answer: a text, the members of a list, the entries of a map, or elements by their names. */
export type XmlValue =
  | string
  | boolean
  | readonly XmlValue[]
  | ReadonlyMap<string, XmlValue>
  | { readonly [element: string]: XmlValue };

function xmlOf(value: XmlValue): string {
  if (typeof value !== 'object') return inXml(String(value));
  if (value instanceof Map)
    return [...value]
      .map(([key, one]) => element('entry', element('key', inXml(key)) + element('value', xmlOf(one))))
      .join('');
  if (Array.isArray(value)) return value.map((one) => element('member', xmlOf(one))).join('');
  return Object.entries(value)
    .map(([name, one]) => element(name, xmlOf(one)))
    .join('');
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

function inXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no control characters
  const printable = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
