import type { Ready } from '../runtime.ts';

export type { Ready } from '../runtime.ts';
export { type Client, createClient } from './client.ts';
export type { AwaitQuery, CloudApi, MessageListQuery, RequestListQuery } from './cloud-api.ts';
export type { CallOptions } from './deadline.ts';
export {
  type ClientErrorCode,
  LocalOnlyError,
  MailcapError,
  type MailcapErrorCode,
  NoServerError,
  OptionError,
  RefusedError,
  TimeoutError,
} from './errors.ts';
export type { LocalApi } from './local-api.ts';
export type * from './local-resources.ts';
export type { ClientOptions } from './options.ts';
export type * from './resources.ts';
export type { Server } from './server.ts';

/** The server that runs on a data directory, as its `server.json` tells; null where none does. A file left by a dead process is ignored. Node alone. */
export async function findServer(dataDir: string): Promise<Ready | null> {
  return (await import('./find-server.ts')).findServer(dataDir);
}
