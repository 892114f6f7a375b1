import type { DoorCall, DoorField } from './door.ts';

/** The fields of a form that an app sends. */
export class FormFields {
  readonly #fields: readonly DoorField[];

  /** `nameOf` returns the name by which a field is known. */
  constructor({ body }: Pick<DoorCall, 'body'>, nameOf: (name: string) => string = (name) => name) {
    this.#fields = body.kind === 'form' ? body.fields.map((field) => ({ ...field, name: nameOf(field.name) })) : [];
  }

  /** Returns the texts of a name. */
  all(name: string): string[] {
    return this.#fields.filter((field) => field.name === name && field.file === undefined).map(({ value }) => value);
  }

  /** Returns the first text of a name as it was given, also an empty one; null if it is missing. */
  given(name: string): string | null {
    return this.all(name)[0] ?? null;
  }

  /** Returns the first text of a name; null if it is missing or empty. */
  one(name: string): string | null {
    return this.given(name) || null;
  }

  /** Returns the fields whose names begin with a text, without it. */
  beginning(start: string): [name: string, value: string][] {
    return this.#fields
      .filter(({ name, file }) => name.startsWith(start) && file === undefined)
      .map(({ name, value }) => [name.slice(start.length), value]);
  }

  files(name: string): NonNullable<DoorField['file']>[] {
    return this.#fields.flatMap((field) => (field.name === name && field.file !== undefined ? [field.file] : []));
  }
}
