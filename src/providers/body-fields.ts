import { distinctAddresses, type ListedAddress } from '../domain/address-list.ts';
import type { MailFile } from '../domain/provider.ts';
import type { DoorCall, DoorRefusal } from './door.ts';
import {
  addressIn,
  fieldOf,
  isHeaderText,
  isMissing,
  isText,
  type JsonObject,
  namedAddress,
  objectOf,
  writtenAddresses,
} from './fields.ts';
import { addedHeaders, type FileForm, filesIn, type Refuse, type Wrong, webhookUrlIn } from './parts.ts';

/**
 * The fields of an object that an app sends. Each method reads a field, and throws the refusal of the provider if the
 * field is not of its kind.
 */
export class BodyFields {
  readonly fields: JsonObject;
  /** The place of the object in the body, such as `personalizations.0`. */
  readonly place: string;
  readonly #refuse: Refuse;

  constructor(fields: JsonObject, refuse: Refuse, place = '') {
    this.fields = fields;
    this.place = place;
    this.#refuse = refuse;
  }

  /** Returns the provider's refusal of a field. */
  refuse(name: string, wrong: Wrong, given?: string): Error {
    return this.#refuse(this.#placeOf(name), wrong, given);
  }

  /** Returns a field as it came. */
  raw(name: string): unknown {
    return fieldOf(this.fields, name);
  }

  /** Tells whether a field is missing: not there, null, or an empty text. */
  lacks(name: string): boolean {
    return isMissing(this.raw(name));
  }

  /** Returns the object of a field; one without fields if it is none. */
  inside(name: string): BodyFields {
    return new BodyFields(objectOf(this.raw(name)) ?? {}, this.#refuse, this.#placeOf(name));
  }

  /** Returns the object of a field; one without fields if it is missing. Throws if it is anything else. */
  checked(name: string): BodyFields {
    this.object(name);
    return this.inside(name);
  }

  /** Returns the fields with those of another object in the place of what is not there. */
  over(before: JsonObject | undefined): BodyFields {
    return new BodyFields({ ...before, ...this.fields }, this.#refuse, this.place);
  }

  /** Reads a text that may be missing. */
  text(name: string): string | null {
    const value = this.raw(name) ?? null;
    if (value === null || isText(value)) return value;
    throw this.refuse(name, 'text');
  }

  /** Reads a text of a header, such as a subject. */
  line(name: string, longest = 2_000): string | null {
    const text = this.text(name);
    if (text !== null && (text.length > longest || !isHeaderText(text))) throw this.refuse(name, 'line_break');
    return text;
  }

  /** Reads a text of a header that must be there. */
  requiredLine(name: string, longest?: number): string {
    const line = this.line(name, longest);
    if (!line) throw this.refuse(name, 'missing');
    return line;
  }

  /** Reads a list of texts that a header can hold, such as tags. */
  lines(name: string, most: number, longest = 255): string[] {
    return this.#list(name, this.raw(name) ?? [], most).map((one, index) => {
      if (!isText(one)) throw this.refuse(`${name}.${index}`, 'text');
      if (one.length > longest || !isHeaderText(one)) throw this.refuse(`${name}.${index}`, 'line_break');
      return one;
    });
  }

  /** Reads an object whose JSON has at most `longest` characters. */
  object(name: string, longest = 100_000): JsonObject {
    const object = this.lacks(name) ? {} : objectOf(this.raw(name));
    if (object === null) throw this.refuse(name, 'object');
    if (JSON.stringify(object).length > longest) throw this.refuse(name, 'too_large');
    return object;
  }

  /** Reads a list of objects. */
  objects(name: string, most: number): BodyFields[] {
    return this.#list(name, this.lacks(name) ? [] : this.raw(name), most).map((one, index) => {
      const fields = objectOf(one);
      if (fields === null) throw this.refuse(`${name}.${index}`, 'object');
      return new BodyFields(fields, this.#refuse, this.#placeOf(`${name}.${index}`));
    });
  }

  /** Reads `{ email, name }`. Null if it is missing. */
  person(name: string): ListedAddress | null {
    return this.lacks(name) ? null : this.#personIn(name, this.raw(name));
  }

  /** Reads `{ email, name }`, which must be there. */
  requiredPerson(name: string): ListedAddress {
    const person = this.person(name);
    if (person === null) throw this.refuse(`${name}.email`, 'missing');
    return person;
  }

  /** Reads a list of `{ email, name }`. */
  people(name: string, most = 1_000): ListedAddress[] {
    const people = this.#list(name, this.lacks(name) ? [] : this.raw(name), most);
    return people.map((one, index) => this.#personIn(`${name}.${index}`, one));
  }

  /** Reads addresses that are texts: one, several with commas between them, or a list. */
  addresses(name: string, most: number, tooMany = () => this.refuse(name, 'too_many')): ListedAddress[] {
    const value = this.raw(name);
    if (isMissing(value)) return [];
    if (Array.isArray(value) && value.length > most) throw tooMany();
    const list = Array.isArray(value) ? value.map(addressIn) : writtenAddresses(value);
    if ((list ?? []).length > most) throw tooMany();
    return (list ?? [null]).map((address) => {
      if (address === null) throw this.refuse(name, 'address', String(value));
      return address;
    });
  }

  /** Reads addresses that are one text. */
  addressLine(name: string, most: number): ListedAddress[] {
    return this.text(name)?.trim() ? this.addresses(name, most) : [];
  }

  /** Reads `to`, `cc` and `bcc`, and the addresses of all, which are at most `most`. */
  recipients(most: number, mostTo = most, mostCopies = mostTo) {
    const [to, cc, bcc] = [this.people('to', mostTo), this.people('cc', mostCopies), this.people('bcc', mostCopies)];
    const all = [...to, ...cc, ...bcc];
    if (all.length > most) throw this.refuse('to', 'too_many');
    return { to, cc, bcc, recipients: distinctAddresses(all) };
  }

  /** Reads the header fields that an app adds: an object, or a list of objects with a name and a value. */
  headers(name: string, parts?: readonly [nameField: string, valueField: string]) {
    return addedHeaders(this.raw(name), name, this.#placed, parts);
  }

  files(name: string, form: FileForm): MailFile[] {
    return filesIn(this.raw(name), name, form, this.#placed);
  }

  /** Reads the URL of a webhook of the app. */
  url(name: string): string {
    return webhookUrlIn(this.raw(name), name, this.#placed);
  }

  #list(name: string, value: unknown, most: number): readonly unknown[] {
    if (!Array.isArray(value)) throw this.refuse(name, 'list');
    if (value.length > most) throw this.refuse(name, 'too_many');
    return value;
  }

  #personIn(name: string, value: unknown): ListedAddress {
    const given = objectOf(value) ?? {};
    const address = namedAddress(fieldOf(given, 'email'), fieldOf(given, 'name'));
    if (address === null) throw this.refuse(`${name}.email`, 'address');
    return address;
  }

  #placeOf(name: string): string {
    return this.place === '' ? name : `${this.place}.${name}`;
  }

  get #placed(): Refuse {
    return (name, wrong) => this.refuse(name, wrong);
  }
}

/** Returns what makes the fields of the body of a request, or of a part of it. Either must be a JSON object. */
export function bodyReader(
  refuseBody: () => DoorRefusal,
  refuseField: Refuse,
): (call: Pick<DoorCall, 'body'>, part?: unknown) => BodyFields {
  return ({ body }, part = body.kind === 'json' ? body.value : null) => {
    const given = objectOf(part);
    if (given === null) throw refuseBody();
    return new BodyFields(given, refuseField);
  };
}
