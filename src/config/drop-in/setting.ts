import { networkInterfaces } from 'node:os';
import type { OptionName } from '../options.ts';

// The settings of another mail catcher, each one row of a table: its variable, its flag, and what it means here. The
// same rows make the page (docs/drop-in.md).

export interface CatcherSetting {
  /** The variable and its older names, as `MP_DATABASE MP_DATA_FILE`. Null if there is only a flag. */
  readonly variable: string | null;
  /** The flag, its older names and its letter, as `database -d db-file`. Null if there is only a variable. */
  readonly flag: string | null;
  readonly isSwitch: boolean;
  /**
   * `read`: it sets options of this server. `holds`: the server does so anyway, or it concerns nothing here. `lacks`: the
   * server can't do it, which the start tells.
   */
  readonly kind: 'read' | 'holds' | 'lacks';
  /** Its effect here; for `lacks`, its effect there. */
  readonly does: string;
  readonly apply?: (value: string, options: MadeOptions) => void;
}

/** The names that can be set: the options, and the keys that only a config file can set otherwise. */
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
  /** Tells a sentence at the start. */
  tell(sentence: string): void;
}

/**
 * A setting with a value. It sets the option `made` to what `convert` returns, which is the value itself if left out, or
 * `made` sets options of it.
 */
export function sets(
  variable: string | null,
  flag: string | null,
  does: string,
  made: Settable | ((value: string, options: MadeOptions) => void),
  convert: (value: string, options: MadeOptions) => unknown = (value) => value,
): CatcherSetting {
  const apply =
    typeof made === 'function'
      ? made
      : (value: string, options: MadeOptions) => options.set(made, convert(value, options));
  return { variable, flag, does, kind: 'read', isSwitch: false, apply };
}

/** A setting that is on or off. If it is on, it sets the options of `made`, or `made` sets them. */
export function turns(
  variable: string | null,
  flag: string | null,
  does: string,
  made: Partial<Record<Settable, unknown>> | ((options: MadeOptions) => void),
): CatcherSetting {
  const apply = (value: string, options: MadeOptions) => {
    if (!isOn(value)) return;
    if (typeof made === 'function') made(options);
    else for (const [name, on] of Object.entries(made)) options.set(name as Settable, on);
  };
  return { variable, flag, does, kind: 'read', isSwitch: true, apply };
}

const rowsOf =
  (kind: CatcherSetting['kind'], isSwitch: boolean) =>
  (variable: string | null, flag: string | null, does: string): CatcherSetting => ({
    variable,
    flag,
    does,
    kind,
    isSwitch,
  });

/** A setting whose meaning holds without it, or that concerns nothing here. `holdsOn` is on or off. */
export const holds = rowsOf('holds', false);
export const holdsOn = rowsOf('holds', true);

/** A setting of something that the server lacks. `lacksOn` is on or off. */
export const lacks = rowsOf('lacks', false);
export const lacksOn = rowsOf('lacks', true);

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
