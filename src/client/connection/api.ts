import type { CloudApi } from './cloud-api.ts';
import type { LocalApi } from './local-api.ts';
import type { Server } from './server.ts';

/** Both APIs of a server, which every handle stands on. */
export interface Api extends CloudApi {
  /**
   * The local API, for what a dashboard does in the cloud and for what only a local server can do. Each of its calls throws a
   * LocalOnlyError where the server has none.
   *
   * @example await client.local.setClock({ offsetSeconds: 86_400 });
   */
  readonly local: LocalApi;
  /**
   * Tells whether the server has a local API: true of `mailcap dev` and the container, false of the cloud. Asked once.
   *
   * @example if (await client.hasLocalApi()) await client.local.reset();
   */
  hasLocalApi(): Promise<boolean>;
  /**
   * The id of the workspace the key belongs to: as told, or that of what the key can read. Throws a MailcapError with the code
   * `unknown_workspace` where nothing tells it.
   *
   * @example const { key } = await client.local.createKey(await client.workspaceId());
   */
  workspaceId(): Promise<string>;
  /**
   * Where the calls go. Throws a NoServerError where no server was found.
   *
   * @example const { url } = await client.server();
   */
  server(): Promise<Server>;
}
