import type { Server } from '../transport/transport.ts';
import type { CloudApi, LocalApi } from './calls.ts';

/** Both APIs of a server. Every handle works through it. */
export interface Api extends CloudApi {
  /**
   * The local API. It does what a dashboard does in the cloud, and what only a local server can do. Each call throws a
   * LocalOnlyError if the server has no local API.
   *
   * @example await client.local.createWorkspace({ name: 'acceptance tests' });
   */
  readonly local: LocalApi;
  /**
   * Tells whether the server has a local API. `mailcap dev` and the container have one; the cloud has none. The client
   * asks the server once.
   *
   * @example if (await client.hasLocalApi()) await client.local.reset();
   */
  hasLocalApi(): Promise<boolean>;
  /**
   * Returns the id of the key's workspace: from the settings, or else from a mailbox or webhook that the key can read.
   * Throws a MailcapError with the code `unknown_workspace` if there is none.
   *
   * @example const { key } = await client.local.createKey(await client.workspaceId());
   */
  workspaceId(): Promise<string>;
  /**
   * Returns the server that the calls go to, with the key in use. Throws a NoServerError if no server was found.
   *
   * @example const { url } = await client.server();
   */
  server(): Promise<Server>;
}
