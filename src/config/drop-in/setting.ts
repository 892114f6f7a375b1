import { networkInterfaces } from 'node:os';
import type { OptionName } from '../options.ts';

// The settings of another mail catcher, each one row of a table: its variable, its flag, and what it means here. The
// same rows make the page (docs/drop-in.md).

/** A setting of another catcher. */
export interface CatcherSetting {
  /** The variable. Null if there is only a flag. */
  readonly variable: string | null;
  /** Further variables with the same meaning, which the catcher has given up. */
  readonly formerly?: readonly string[];
  /** The flag and its letter, as `smtp -s`. Null if there is only a variable. */
  readonly flag: string | null;
  readonly isSwitch: boolean;
  /**
   * `read`: it sets options of this server. `holds`: the server does so anyway, or it concerns nothing here. `lacks`: the
   * server can't do it, which the start tells.
   */
  readonly kind: 'read' | 'holds' | 'lacks';
  /** What it does here; for `lacks`, what it would do there. */
  readonly does: string;
  readonly apply?: (value: string, options: MadeOptions) => void;
}

/** What can be set: the options, and the users, which only a config file can set otherwise. */
export type Settable =
  | OptionName
  | ('smtpUsers' | 'httpUsers' | 'sendUsers' | 'readerUsers')
  | ('recipients' | 'tagging' | 'faults' | 'label')
  | ('autoRelay' | 'release' | 'mailWebhook');

/** The options that the settings make, with what is to be told about them. */
export interface MadeOptions {
  /** Sets an option. The first setting that names it wins. */
  set(name: Settable, value: unknown): void;
  /** Returns the value of another setting of the same catcher, by its variable; null if it was not given. */
  other(variable: string): string | null;
  /** Reads a file that a setting names. Throws a ConfigError. */
  read(path: string): string;
  /** Reads a YAML file that a setting names: its fields. Throws a ConfigError. */
  readFields(path: string): Readonly<Record<string, unknown>>;
  /** Has a sentence told at the start. */
  tell(sentence: string): void;
}

type Row = Omit<CatcherSetting, 'kind' | 'isSwitch'>;

/** A setting with a value that sets options. */
export const sets = (
  variable: string | null,
  flag: string | null,
  does: string,
  apply: CatcherSetting['apply'],
): CatcherSetting => row({ variable, flag, does }, 'read', false, apply);

/** A setting that is on or off. `apply` runs if it is on. */
export const turns = (
  variable: string | null,
  flag: string | null,
  does: string,
  apply: (options: MadeOptions) => void,
): CatcherSetting =>
  row({ variable, flag, does }, 'read', true, (value, options) => {
    if (isOn(value)) apply(options);
  });

/** A setting whose meaning holds without it, or that concerns nothing here. */
export const holds = (variable: string | null, flag: string | null, does: string): CatcherSetting =>
  row({ variable, flag, does }, 'holds', false);

/** As {@link holds}, on or off. */
export const holdsOn = (variable: string | null, flag: string | null, does: string): CatcherSetting =>
  row({ variable, flag, does }, 'holds', true);

/** A setting of something that the server lacks. */
export const lacks = (variable: string | null, flag: string | null, does: string): CatcherSetting =>
  row({ variable, flag, does }, 'lacks', false);

/** As {@link lacks}, on or off. */
export const lacksOn = (variable: string | null, flag: string | null, does: string): CatcherSetting =>
  row({ variable, flag, does }, 'lacks', true);

/** Adds the names that a setting had before. */
export const formerly = (setting: CatcherSetting, ...names: readonly string[]): CatcherSetting => ({
  ...setting,
  formerly: names,
});

function row(
  given: Row,
  kind: CatcherSetting['kind'],
  isSwitch: boolean,
  apply?: CatcherSetting['apply'],
): CatcherSetting {
  return { ...given, kind, isSwitch, ...(apply === undefined ? {} : { apply }) };
}

/** Tells whether a switch is on, as these catchers read one. */
export function isOn(value: string): boolean {
  return /^(1|true|yes|on)$/i.test(value.trim());
}

/** An address to listen on. Null if the text is none, as the path of a Unix socket. */
export function bindAddress(text: string): { readonly host: string; readonly port: string } | null {
  const [, bracketed, plain = '', port] = /^(?:\[([0-9a-f:.]*)\]|([^:/]*)):(\d{1,5})$/i.exec(text.trim()) ?? [];
  return port === undefined ? null : { host: everywhere(bracketed ?? plain), port };
}

/** Returns the address that means all of them where this machine has IPv6, or only IPv4. */
export function everywhere(host: string): string {
  if (host !== '' && host !== '::') return host;
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family }) => family === 'IPv6'),
  );
  return hasIpv6 ? '::' : '0.0.0.0';
}

/** Sets the most messages of a mailbox. 0 means no limit, as with these catchers. */
export function mostMessages(value: string, options: MadeOptions): void {
  if (!/^\d{1,9}$/.test(value.trim())) options.tell(`${value} is no number of messages, so it is not used.`);
  else if (Number(value) > 0) options.set('maxMessages', value);
}
