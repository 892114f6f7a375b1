import { parseAddress } from '../domain/address-list.ts';
import type { AutoRelay, MailWebhook, RecipientRule, RelayRules } from '../domain/auto-relay.ts';
import { isUrl } from '../text/url.ts';
import { checkRelay } from './checks.ts';
import { patternOf } from './mail-rules.ts';
import { type GivenValue, misplaced, readEntries, readValue, wrong } from './value.ts';

// The keys of a config file for mail that leaves the server, and for the webhook that tells of new mail
// (docs/options.md#the-config-file).

/** Reads `release`. Throws a ConfigError. */
export function readRelease(given: GivenValue): RelayRules {
  const { to, relay, ...rules } = readLeaving(given, ['rules', 'from', 'sender']);
  return rules;
}

/** Reads `autoRelay`. Throws a ConfigError. */
export function readAutoRelay(given: GivenValue): readonly AutoRelay[] {
  const list: unknown = given.value;
  if (!Array.isArray(list)) throw wrong(given, 'a list of { relay, to, rules, from, sender }');
  return list.map((value: unknown, at) =>
    readLeaving({ ...given, name: `${given.name}[${at}]`, value }, ['relay', 'to', 'rules', 'from', 'sender']),
  );
}

function readLeaving(given: GivenValue, keys: readonly string[]): AutoRelay {
  const made = { relay: null, to: null, rules: [], from: null, sender: null } as {
    -readonly [Key in keyof AutoRelay]: AutoRelay[Key];
  };
  for (const [key, inner] of readEntries(given)) {
    if (!keys.includes(key)) throw misplaced(inner, `there is no such key: use ${keys.join(', ')}.`);
    if (key === 'relay') made.relay = readRelay(inner);
    else if (key === 'to') made.to = readAddresses(inner);
    else if (key === 'rules') made.rules = readRules(inner);
    else if (key === 'from') made.from = readAddress(inner);
    else made.sender = readAddress(inner);
  }
  return made;
}

function readRelay(given: GivenValue): string {
  const url = String(readValue('string', given));
  checkRelay(url, given);
  return url;
}

function readAddresses(given: GivenValue): readonly string[] {
  const list: unknown = given.value;
  if (!Array.isArray(list) || list.length === 0) throw wrong(given, 'a list of addresses');
  return list.map((value: unknown, at) => readAddress({ ...given, name: `${given.name}[${at}]`, value }));
}

function readAddress(given: GivenValue): string {
  const text: unknown = given.value;
  const address = typeof text === 'string' ? parseAddress(text) : null;
  if (address === null) throw wrong(given, 'an address, as in qa@example.com');
  return address.address;
}

function readRules(given: GivenValue): readonly RecipientRule[] {
  const list: unknown = given.value;
  if (!Array.isArray(list)) throw wrong(given, RULES);
  return list.map((value: unknown, at) => {
    const inner = { ...given, name: `${given.name}[${at}]`, value };
    const [[key, text] = ['', null], ...others] = readEntries(inner);
    const pattern = typeof text?.value === 'string' ? patternOf(text.value) : null;
    if (others.length > 0 || (key !== 'allow' && key !== 'deny') || pattern === null) throw wrong(inner, RULES);
    return { pattern, allows: key === 'allow' };
  });
}

const RULES = 'a list of { allow } and { deny }, each with a regular expression as text';

/** Reads `mailWebhook`. Throws a ConfigError. */
export function readMailWebhook(given: GivenValue): MailWebhook {
  const made = { url: '', everySeconds: 0, delaySeconds: 0 };
  for (const [key, inner] of readEntries(given)) {
    if (key === 'url') made.url = String(readValue('string', inner));
    else if (key === 'everySeconds' || key === 'delaySeconds') made[key] = Number(readValue('count', inner));
    else throw misplaced(inner, 'there is no such key: use url, everySeconds, delaySeconds.');
  }
  // The message must not show the URL, because it may hold a password.
  if (!isUrl(made.url) || !/^https?:$/.test(new URL(made.url).protocol))
    throw misplaced(given, 'expected url to be an address such as http://127.0.0.1:3000/mail.');
  return made;
}
