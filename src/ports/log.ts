export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** Logs go to standard error, always. `fields` are for machines; never secrets. */
export interface Log {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
