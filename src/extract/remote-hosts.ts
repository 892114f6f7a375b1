/** The kinds of remote content in HTML. Each is allowed separately. */
export const REMOTE_KINDS = ['images', 'styles', 'fonts', 'media'] as const;
export type RemoteKind = (typeof REMOTE_KINDS)[number];

/** The allowed hosts by kind, as `name` or `name:port`. */
export type AllowedHosts = { readonly [Kind in RemoteKind]?: readonly string[] };

/** A host from which a mail loads content, with the kinds. */
export interface RemoteHost {
  readonly host: string;
  readonly kinds: readonly RemoteKind[];
}

/** The number of hosts that are recorded. Only an abusive mail names more. */
const MAX_HOSTS = 1_000;

/** Collects the remote hosts of a mail. */
export class RemoteHosts {
  readonly #kinds = new Map<string, Set<RemoteKind>>();
  readonly #allowed: AllowedHosts;

  constructor(allowed: AllowedHosts) {
    this.#allowed = allowed;
  }

  /** Records a host. Returns whether it is allowed. */
  see(host: string, kind: RemoteKind): boolean {
    const kinds = this.#kinds.get(host);
    if (kinds !== undefined) kinds.add(kind);
    else if (this.#kinds.size < MAX_HOSTS) this.#kinds.set(host, new Set([kind]));
    return this.#allowed[kind]?.includes(host) ?? false;
  }

  /** Lists the hosts in the order of their occurrence. */
  list(): RemoteHost[] {
    return [...this.#kinds].map(([host, kinds]) => ({ host, kinds: REMOTE_KINDS.filter((kind) => kinds.has(kind)) }));
  }
}
