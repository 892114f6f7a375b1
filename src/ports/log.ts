export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** The log, which always goes to standard error. `fields` are for machines and never hold secrets. */
export interface Log {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Returns a log that adds fields to each message. */
export function withFields(log: Log, fields: Readonly<Record<string, unknown>>): Log {
  return {
    error: (message, more) => log.error(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
  };
}
