import { ApiError } from '../domain/errors.ts';
import { parseFaults } from '../domain/fault.ts';
import { cleanTags } from '../domain/marks.ts';
import { ALL_RECIPIENTS, MOST_RECIPIENTS, type RecipientRules } from '../domain/routing.ts';
import { parseQuery, type SearchQuery } from '../domain/search/query.ts';
import type { TagSettings } from '../domain/tag-settings.ts';
import { type GivenValue, misplaced, readEntries, readValue, wrong } from './value.ts';

// The keys of a config file for mail that comes: which recipients are taken, which tags it gets, and the faults of the
// start (docs/options.md#the-config-file).

/** Reads `recipients`. Throws a ConfigError. */
export function readRecipientRules(given: GivenValue): RecipientRules {
  let { allowed, dropsOthers, most } = ALL_RECIPIENTS;
  for (const [key, inner] of readEntries(given)) {
    if (key === 'allowed') allowed = requirePattern(inner);
    else if (key === 'dropOthers') dropsOthers = readValue('boolean', inner) === true;
    else if (key === 'most') most = requireMost(inner);
    else throw misplaced(inner, 'there is no such key: use allowed, dropOthers, most.');
  }
  return { allowed, dropsOthers, most };
}

function requirePattern(given: GivenValue): RegExp {
  const pattern = typeof given.value === 'string' ? patternOf(given.value) : null;
  if (pattern === null) throw wrong(given, 'a regular expression as text');
  return pattern;
}

/** Reads a regular expression, also one that begins with the `(?i)` of other languages. Null if it is none. */
export function patternOf(text: string): RegExp | null {
  const isAnyCase = text.startsWith('(?i)');
  try {
    return new RegExp(isAnyCase ? text.slice('(?i)'.length) : text, isAnyCase ? 'i' : '');
  } catch {
    return null;
  }
}

function requireMost(given: GivenValue): number {
  const most = Number(readValue('count', given));
  if (most < 1 || most > MOST_RECIPIENTS) throw wrong(given, `1 to ${MOST_RECIPIENTS}`);
  return most;
}

/** Reads `tagging`. Throws a ConfigError. */
export function readTagging(given: GivenValue): TagSettings {
  const switches = { xTags: false, plusAddresses: false, titleCase: false, user: false };
  let searches: TagSettings['searches'] = [];
  for (const [key, inner] of readEntries(given)) {
    if (key === 'searches') searches = readSearches(inner);
    else if (isSwitch(key)) switches[key] = readValue('boolean', inner) === true;
    else throw misplaced(inner, `there is no such key: use searches, ${Object.keys(switches).join(', ')}.`);
  }
  return { ...switches, searches };

  function isSwitch(key: string): key is keyof typeof switches {
    return Object.hasOwn(switches, key);
  }
}

function readSearches(given: GivenValue): TagSettings['searches'] {
  const list: unknown = given.value;
  if (!Array.isArray(list)) throw wrong(given, 'a list of { query, tags }');
  return list.map((value: unknown, at) => {
    const inner = { ...given, name: `${given.name}[${at}]`, value };
    const parts = new Map(readEntries(inner));
    const query = parts.get('query')?.value;
    const tags: unknown = parts.get('tags')?.value;
    if (parts.size !== 2 || typeof query !== 'string' || !isTexts(tags)) throw wrong(inner, '{ query, tags }');
    const clean = cleanTags(tags);
    if (clean.length === 0) throw misplaced(inner, 'has no tag of letters and digits.');
    const read = readTagSearch(query);
    if (typeof read === 'string') throw misplaced(inner, read);
    return { query: read, tags: clean };
  });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** Reads the search of a rule, or returns the sentence that says why it is none. */
export function readTagSearch(text: string): SearchQuery | string {
  try {
    const query = parseQuery(text);
    return query.length === 0 ? 'The query is empty.' : query;
  } catch (error) {
    if (error instanceof ApiError) return String(error.extra['message']);
    throw error;
  }
}

/** Reads `faults`: rules as `PUT /_mailcap/faults` takes them (docs/faults.md). Throws a ConfigError. */
export function readFaultRules(given: GivenValue): readonly unknown[] {
  const rules: unknown = given.value;
  if (!Array.isArray(rules)) throw wrong(given, 'a list of fault rules');
  try {
    parseFaults(rules);
    return rules;
  } catch (error) {
    if (error instanceof ApiError) throw misplaced(given, String(error.extra['message']));
    throw error;
  }
}
