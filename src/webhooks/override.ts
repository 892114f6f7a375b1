import { shorten } from '../text/shorten.ts';
import { WebhookError } from './webhook-error.ts';

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * A field of a body: its path, and its new value. The value is JSON, or a text that is converted to the type of the old
 * value.
 */
export type Override =
  | { readonly path: string; readonly json: Json }
  | { readonly path: string; readonly text: string };

const LONGEST_PATH = 1_000;

/**
 * Reads `path=text` or `path:=json`. A text stays a text even if it looks like a number, unless the field holds a
 * number or a boolean. Throws a {@link WebhookError}.
 *
 * @example parseOverride('data.object.amount_total=999');
 */
export function parseOverride(text: string): Override {
  const mark = text.indexOf('=');
  if (mark <= 0) throw new WebhookError(`${shown(text)} is not path=text or path:=json`);
  const value = text.slice(mark + 1);
  if (text[mark - 1] !== ':') return { path: text.slice(0, mark), text: value };
  try {
    return { path: text.slice(0, mark - 1), json: JSON.parse(value) };
  } catch (cause) {
    throw new WebhookError(`${shown(value)} is not valid JSON; write path=text for a text`, 'invalid_delivery', {
      cause,
    });
  }
}

/**
 * Sets fields of a body, and returns a copy. All names of a path but the last must exist. A number is an index of a
 * list. Throws a {@link WebhookError}.
 */
export function withOverrides(body: Json, overrides: readonly Override[]): Json {
  return overrides.reduce((changed, override) => setAt(changed, namesOf(override.path), override), body);
}

function namesOf(path: string): string[] {
  // A dot that belongs to a name is written with a backslash.
  const names = path.length > LONGEST_PATH ? [] : path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
  if (names.length === 0 || names.includes(''))
    throw new WebhookError(`${shown(path)} is not a path such as data.object.id`);
  return names;
}

function setAt(value: Json, [name = '', ...rest]: readonly string[], override: Override): Json {
  const isLast = rest.length === 0;
  if (isList(value)) {
    const at = /^\d{1,6}$/.test(name) ? Number(name) : -1;
    const old = value[at];
    if (at < 0 || at > value.length || (old === undefined && !isLast))
      throw new WebhookError(`${shown(override.path)}: ${shown(name)} is not an index of a list of ${value.length}`);
    return value.toSpliced(at, 1, isLast ? newValue(override, old) : setAt(old ?? null, rest, override));
  }
  if (value === null || typeof value !== 'object')
    throw new WebhookError(
      `${shown(override.path)}: there is no field ${shown(name)}, because the value is not an object`,
    );
  const old = Object.hasOwn(value, name) ? value[name] : undefined;
  if (old === undefined && !isLast)
    throw new WebhookError(
      `${shown(override.path)}: there is no field ${shown(name)}; the fields are ${listed(Object.keys(value))}`,
    );
  const entry: [string, Json] = [name, isLast ? newValue(override, old) : setAt(old ?? null, rest, override)];
  const entries = Object.entries(value);
  const at = entries.findIndex(([one]) => one === name);
  // `fromEntries` makes __proto__ a field like others. An assignment would change the object's class.
  return Object.fromEntries(at < 0 ? [...entries, entry] : entries.with(at, entry));
}

function newValue(override: Override, old: Json | undefined): Json {
  if ('json' in override) return override.json;
  const { text, path } = override;
  if (typeof old === 'number') {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number)) return number;
    throw new WebhookError(
      `${shown(path)} is a number, but ${shown(text)} is not; write ${path}:=json to change its type`,
    );
  }
  if (typeof old !== 'boolean') return text;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new WebhookError(
    `${shown(path)} is true or false, but ${shown(text)} is neither; write ${path}:=json to change its type`,
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function listed(names: readonly string[]): string {
  const more = names.length > 12 ? ', …' : '';
  return names.length === 0 ? 'nothing' : `${names.slice(0, 12).join(', ')}${more}`;
}

function shown(text: string): string {
  return JSON.stringify(shorten(text, 100));
}
