import { z } from 'zod';
import { createMetrics } from '../src/adapters/prometheus.ts';
import { CLIENTS } from '../src/checks/clients/clients.ts';
import { LOSSY } from '../src/checks/clients/lossy.ts';
import { CLIENT_DATA } from '../src/checks/clients/named.ts';
import { RULES, type Rule } from '../src/checks/rules.ts';
import { CATCHERS, type CatcherName } from '../src/config/drop-in/read.ts';
import type { CatcherSetting } from '../src/config/drop-in/setting.ts';
import { flagOf, OPTIONS, type Option, type OptionName } from '../src/config/options.ts';
import { EVENT_TYPES } from '../src/domain/event.ts';
import { PLANS, type Plan } from '../src/domain/workspace.ts';
import * as resources from '../src/http/schemas.ts';
import * as webhooks from '../src/http/webhooks.ts';
import { grouped } from '../src/text/maps.ts';
import { cloudErrors, cloudOperations, fieldList, localErrors, localOperations } from './api-tables.ts';
import { commandList, sharedOptions } from './command-list.ts';
import { code, markdownTable } from './markdown-table.ts';
import { CLIENT_ERROR_WORDS, EVENT_WORDS, OPTION_WORDS } from './words.ts';

/** Every generated table, by the name in its markers: `<!-- table: options -->`. */
export const TABLES: Readonly<Record<string, () => string | Promise<string>>> = {
  options: optionList,
  'mailpit-settings': () => settingList('mailpit'),
  'maildev-settings': () => settingList('maildev'),
  commands: commandList,
  'command-options': sharedOptions,
  'cloud-operations': cloudOperations,
  'local-operations': localOperations,
  'cloud-errors': cloudErrors,
  'local-errors': localErrors,
  'client-errors': () => wordList(CLIENT_ERROR_WORDS),
  events: () => wordList(Object.fromEntries(EVENT_TYPES.map((type) => [type, EVENT_WORDS[type]]))),
  metrics: metricList,
  plans: planTable,
  checks: ruleList,
  'check-clients': clientList,
  'check-features': () => `${[...LOSSY].sort().map(code).join(', ')}.`,
  ...fieldTables(),
};

const BETWEEN = /(<!-- table: ([\w-]+) -->\n)[\s\S]*?(\n<!-- end of table -->)/g;

/** Returns a page with its tables generated again. Throws an Error for an unknown table. */
export async function withTables(page: string): Promise<string> {
  const made = new Map<string, string>();
  for (const [, , name = ''] of page.matchAll(BETWEEN)) {
    const make = TABLES[name];
    if (make === undefined) throw new Error(`there is no table ${name}`);
    made.set(name, await make());
  }
  return page.replace(BETWEEN, (_all, before, name, after) => `${before}\n${made.get(name)}\n${after}`);
}

/** Lists the options of the server: the flag with its choices, the default, and what it does. */
function optionList(): string {
  const items = Object.entries<Option>(OPTIONS).map(([name, { type, default: value = null }]) => {
    const choices = typeof type === 'object' ? ` ${type.oneOf.join('|')}` : '';
    const usual = defaultOf(type, value);
    return `- ${code(`--${flagOf(name)}${choices}`)}${usual === '' ? '' : ` (${usual})`}: ${OPTION_WORDS[name as OptionName]}`;
  });
  return items.join('\n');
}

/**
 * Lists the settings of another catcher: the variables, the flags, and what they do here. Settings that do the same
 * share an item. The last items are those that are not done.
 */
function settingList(name: CatcherName): string {
  const { called, settings } = CATCHERS[name];
  const itemsOf = (some: readonly CatcherSetting[]) =>
    [...grouped(some, meaning).values()].map((same) => `- ${namesOf(same)}: ${same[0]?.does}`);
  return [
    ...itemsOf(settings.filter(({ kind }) => kind !== 'lacks')),
    '',
    `Not done, with what it does in ${called}:`,
    '',
    ...itemsOf(settings.filter(({ kind }) => kind === 'lacks')),
  ].join('\n');

  /** Returns what settings that share an item have in common. "The same, from a file" refers to the item before it. */
  function meaning(setting: CatcherSetting): unknown {
    return setting.does.startsWith('The same,') ? setting : setting.does;
  }
}

/** Returns the variables of settings, and behind them their flags in brackets, each with its letter. */
function namesOf(settings: readonly CatcherSetting[]): string {
  const variables = settings.flatMap(({ variable }) => variable?.split(' ') ?? []);
  const flags = settings.flatMap(({ flag }) => flag?.split(' ').map((one) => one.replace(/^(?!-)/, '--')) ?? []);
  const [first, behind] = [variables, flags].map((names) => names.map(code).join(', '));
  return [first, behind && first ? `(${behind})` : behind].filter(Boolean).join(' ');
}

function defaultOf(type: Option['type'], value: Option['default']): string {
  if (value === null || value === false) return '';
  if (Array.isArray(value)) return value.map(code).join(', ');
  return code(type === 'bytes' || type === 'space' ? `${Number(value) / 1024 ** 2}MiB` : String(value));
}

function wordList(words: Readonly<Record<string, string>>): string {
  return Object.entries(words)
    .map(([name, text]) => `- ${code(name)}: ${text}`)
    .join('\n');
}

/**
 * Lists the metrics of mailcap. It records an example of each, because a label appears only once something was counted.
 */
async function metricList(): Promise<string> {
  const metrics = createMetrics('0.0.0');
  metrics.answered('GET', '/v1/mailboxes', 200);
  metrics.mailRefused('rcpt', 'fault');
  const levels = {
    workspaces: 0,
    mailboxes: 0,
    messages: 0,
    storedBytes: 0,
    capturedBytes: 0,
    waiters: 0,
    subscribers: 0,
    storage: 'ok',
  } as const;
  const text = await metrics.write(levels);
  await metrics.close();
  const items = [...text.matchAll(/^# HELP (mailcap_\S+) (.*)\n# TYPE \S+ (\w+)\n(?:\S+?\{(.*?)\} )?/gm)].map(
    ([, name = '', help = '', kind = '', labels = '']) => {
      const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => code(label));
      return `- ${code(name)} (${[kind, ...names].join(', ')}): ${help}`;
    },
  );
  return items.join('\n');
}

/** Lists the rules by their families. */
function ruleList(): string {
  const families = grouped(Object.entries<Rule>(RULES), ([, { family }]) => family);
  return [...families].map(([family, rules]) => `**${family}**\n\n${rules.map(ruleItem).join('\n')}`).join('\n\n');
}

function ruleItem([id, { severity, finds }]: [string, Rule]): string {
  const severities = typeof severity === 'string' ? severity : severity.join(' or ');
  return `- ${code(id)} (${severities}): ${finds.slice(0, 1).toUpperCase()}${finds.slice(1)}`;
}

/** Lists the clients by their families: `gmail` has `desktop-webmail` and `ios`. */
function clientList(): string {
  const families = grouped(Object.keys(CLIENTS), (id) => id.slice(0, id.indexOf('.')));
  const items = [...families].map(([family, ids]) => {
    const names = ids.map((id) => code(id.slice(family.length + 1)));
    return `- ${code(family)}: ${names.join(', ')}`;
  });
  const { source, version, date } = CLIENT_DATA;
  return [`Data of ${source}, version ${version}, of ${date}:`, '', ...items].join('\n');
}

const PLAN_WORDS = {
  outbound: 'Outbound',
  mailboxes: 'Mailboxes',
  retentionDefaultDays: 'Retention, default, days',
  retentionMaxDays: 'Retention, maximum, days',
  inboundPerMailboxPerDay: 'Messages received per mailbox per day',
  outboundPerDay: 'Emails sent per workspace per day',
  storageBytes: 'Storage',
  activeKeys: 'Active API keys',
  webhooks: 'Webhooks',
  walletStartCents: 'Wallet at the start, cents',
} as const satisfies Record<keyof Plan, string>;

function planTable(): string {
  const rows = Object.entries(PLAN_WORDS).map(([key, words]) => {
    const of = (plan: Plan) => planValue(key, plan[key as keyof Plan]);
    return [words, code(key), of(PLANS.free), of(PLANS.business)];
  });
  return markdownTable(['', 'Key in the config file', 'Free', 'Business'], rows);
}

function planValue(key: string, value: number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (key === 'storageBytes') return value >= 1024 ** 3 ? `${value / 1024 ** 3} GiB` : `${value / 1024 ** 2} MiB`;
  return value.toLocaleString('en-US');
}

/** Returns the tables of all resources, with names such as `fields-MailboxResponse`. */
function fieldTables(): Record<string, () => string> {
  const requests = ['CreateMailboxRequest', 'SendRequest', 'UpsertWebhookDto'];
  const schemas = { ...resources, ...webhooks };
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => {
      if (!(schema instanceof z.ZodType)) return [];
      const io = requests.includes(name) ? 'input' : 'output';
      const base = name === 'WebhookRequestView' ? webhooks.WebhookRequestSummary : null;
      return [[`fields-${name}`, () => fieldList(schema, io, base)]];
    }),
  );
}
