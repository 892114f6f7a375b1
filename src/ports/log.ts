export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** The log, which always goes to standard error. `fields` are for machines and never hold secrets. */
export interface Log {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
