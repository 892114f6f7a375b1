import { parseAddress } from '../domain/address-list.ts';
import {
  type AutoRelay,
  type MailWebhook,
  NO_RELAY_RULES,
  type RecipientRule,
  type RelayRules,
} from '../domain/auto-relay.ts';
import { ApiError } from '../domain/errors.ts';
import { parseFaults } from '../domain/fault.ts';
import { cleanTags } from '../domain/marks.ts';
import { ALL_RECIPIENTS, MOST_RECIPIENTS, type RecipientRules } from '../domain/routing.ts';
import { parseQuery, type SearchQuery } from '../domain/search/query.ts';
import type { TagSettings } from '../domain/tag-settings.ts';
import { isUrl } from '../text/url.ts';
import { checkRelay } from './checks.ts';
import { type GivenValue, misplaced, readEntries, readItems, readKeys, readSwitch, readValue, wrong } from './value.ts';

// The keys of a config file that hold rules: which mail is taken, which tags it gets, the faults of the start, how mail
// leaves, and the webhook that tells of new mail (docs/options.md#the-config-file). Each reader throws a ConfigError.

export function readRecipientRules(given: GivenValue): RecipientRules {
  const readers = { allowed: requirePattern, dropOthers: readSwitch, most: requireMost };
  const { dropOthers = false, ...others } = readKeys(given, readers);
  return { ...ALL_RECIPIENTS, ...others, dropsOthers: dropOthers };
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

export function readTagging(given: GivenValue): TagSettings {
  const nothing = { searches: [], xTags: false, plusAddresses: false, titleCase: false, user: false };
  const switches = { xTags: readSwitch, plusAddresses: readSwitch, titleCase: readSwitch, user: readSwitch };
  return { ...nothing, ...readKeys(given, { searches: readSearches, ...switches }) };
}

function readSearches(given: GivenValue): TagSettings['searches'] {
  return readItems(given, 'a list of { query, tags }').map((inner) => {
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

export function readRelease(given: GivenValue): RelayRules {
  return { ...NO_RELAY_RULES, ...readKeys(given, RELEASE) };
}

const RELEASE = { rules: readRules, from: readAddress, sender: readAddress };
const LEAVING = { relay: readRelay, to: readAddresses, ...RELEASE };

export function readAutoRelay(given: GivenValue): readonly AutoRelay[] {
  const nothing = { relay: null, to: null, ...NO_RELAY_RULES };
  return readItems(given, `a list of { ${Object.keys(LEAVING).join(', ')} }`).map((item) => ({
    ...nothing,
    ...readKeys(item, LEAVING),
  }));
}

function readRelay(given: GivenValue): string {
  const url = String(readValue('string', given));
  checkRelay(url, given);
  return url;
}

function readAddresses(given: GivenValue): readonly string[] {
  const addresses = readItems(given, 'a list of addresses').map(readAddress);
  if (addresses.length === 0) throw wrong(given, 'a list of addresses');
  return addresses;
}

function readAddress(given: GivenValue): string {
  const text: unknown = given.value;
  const address = typeof text === 'string' ? parseAddress(text) : null;
  if (address === null) throw wrong(given, 'an address, as in qa@example.com');
  return address.address;
}

function readRules(given: GivenValue): readonly RecipientRule[] {
  return readItems(given, RULES).map((inner) => {
    const [[key, text] = ['', null], ...others] = readEntries(inner);
    const pattern = typeof text?.value === 'string' ? patternOf(text.value) : null;
    if (others.length > 0 || (key !== 'allow' && key !== 'deny') || pattern === null) throw wrong(inner, RULES);
    return { pattern, allows: key === 'allow' };
  });
}

const RULES = 'a list of { allow } and { deny }, each with a regular expression as text';

export function readMailWebhook(given: GivenValue): MailWebhook {
  const seconds = (inner: GivenValue) => Number(readValue('count', inner));
  const url = (inner: GivenValue) => String(readValue('string', inner));
  const made = {
    ...{ url: '', everySeconds: 0, delaySeconds: 0 },
    ...readKeys(given, { url, everySeconds: seconds, delaySeconds: seconds }),
  };
  // The message must not show the URL, because it may hold a password.
  if (!isUrl(made.url) || !/^https?:$/.test(new URL(made.url).protocol))
    throw misplaced(given, 'expected url to be an address such as http://127.0.0.1:3000/mail.');
  return made;
}
