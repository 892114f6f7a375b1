import { z } from 'zod';
import { writeTime } from '../domain/time.ts';

/** A time of the API. */
export const time = z.iso.datetime({ offset: true });
export const nullable = z.string().nullable();
/** A field of a request, of which the document tells more than the schema. The rules check its value. */
export const anything = z.unknown().optional();

/** A value that nobody changes, so that what a rule returns can stand in an answer as it is. */
export type FixedValue<T> = T extends object ? { readonly [Name in keyof T]: FixedValue<T[Name]> } : T;

/** An answer as its schema describes it. */
export type AnswerOf<Schema extends z.ZodType> = FixedValue<z.infer<Schema>>;

/** The value that a rule gives for a field of an answer: a time is in milliseconds since 1970, anything else is as it is. */
type Told<Field> = Field extends z.ZodISODateTime
  ? number
  : Field extends z.ZodNullable<z.ZodISODateTime>
    ? number | null
    : Field extends z.ZodType
      ? AnswerOf<Field>
      : never;

/**
 * Creates the function that writes an answer. It copies the fields of the schema alone, in their order, so that no other
 * field of a row, such as a secret, is ever part of an answer.
 */
export function answerWriter<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
): (row: { readonly [Name in keyof Shape]: Told<Shape[Name]> }) => AnswerOf<z.ZodObject<Shape>> {
  const names: readonly (string & keyof Shape)[] = Object.keys(schema.shape);
  const times: ReadonlySet<keyof Shape> = new Set(names.filter((name) => isTime(schema.shape[name])));
  return (row) => {
    const answer: Record<string, unknown> = {};
    for (const name of names) {
      const value: unknown = row[name];
      answer[name] = typeof value === 'number' && times.has(name) ? writeTime(value) : value;
    }
    // The types of the row are those of the schema.
    return answer as AnswerOf<z.ZodObject<Shape>>;
  };
}

function isTime(field: unknown): boolean {
  return field instanceof z.ZodISODateTime || (field instanceof z.ZodNullable && isTime(field.unwrap()));
}
