import { locatedAll } from './call-site.ts';
import { createCaller } from './caller.ts';
import { type CloudApi, createCloudApi } from './cloud-api.ts';
import { createLocalApi, type LocalApi } from './local-api.ts';
import { LocalPresence } from './local-presence.ts';
import { type ClientOptions, settingsOf } from './options.ts';
import { locateServer, type Server } from './server.ts';
import { Transport } from './transport.ts';
import { workspaceFinder } from './workspace.ts';

export interface Client extends CloudApi {
  /** The local API; each of its calls throws a LocalOnlyError where the server has none. */
  readonly local: LocalApi;
  /** Whether the server has a local API. */
  hasLocalApi(): Promise<boolean>;
  /** Where the calls go. Throws a NoServerError where no server was found. */
  server(): Promise<Server>;
}

/**
 * A client of a mailcap server or of the cloud. What `options` leave out comes from the `MAILCAP_*` environment, then from
 * the server that runs in this directory or one above; it is looked for at the first call. Throws an OptionError for an
 * unknown option.
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = settingsOf(options);
  const locate = once(() => locateServer(settings));
  const transport = new Transport(settings, locate);
  const presence = new LocalPresence(transport);
  const cloud = createCaller(transport);
  const local = createCaller(transport, (name) => presence.require(name));
  return {
    ...locatedAll(createCloudApi(cloud, workspaceFinder(cloud, locate))),
    ...locatedAll({ hasLocalApi: () => presence.isThere(), server: locate }),
    local: locatedAll(createLocalApi(local)),
  };
}

/** What succeeded stays; what failed is tried again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
