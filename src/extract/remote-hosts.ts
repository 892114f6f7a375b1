/** The kinds of things that HTML loads from elsewhere, each allowed apart. */
export const REMOTE_KINDS = ['images', 'styles', 'fonts', 'media'] as const;
export type RemoteKind = (typeof REMOTE_KINDS)[number];

/** The hosts that may be loaded from, `name` or `name:port`, by kind. */
export type AllowedHosts = { readonly [Kind in RemoteKind]?: readonly string[] };

/** A host that a mail would load from, and what. */
export interface RemoteHost {
  readonly host: string;
  readonly kinds: readonly RemoteKind[];
}

/** A mail that names more is written to be a nuisance. */
const MAX_HOSTS = 1_000;

/** Collects who a mail would call. */
export class RemoteHosts {
  readonly #kinds = new Map<string, Set<RemoteKind>>();
  readonly #allowed: AllowedHosts;

  constructor(allowed: AllowedHosts) {
    this.#allowed = allowed;
  }

  /** Notes a host; whether it may be loaded from. */
  see(host: string, kind: RemoteKind): boolean {
    const kinds = this.#kinds.get(host);
    if (kinds !== undefined) kinds.add(kind);
    else if (this.#kinds.size < MAX_HOSTS) this.#kinds.set(host, new Set([kind]));
    return this.#allowed[kind]?.includes(host) ?? false;
  }

  /** In the order they were met. */
  list(): RemoteHost[] {
    return [...this.#kinds].map(([host, kinds]) => ({ host, kinds: REMOTE_KINDS.filter((kind) => kinds.has(kind)) }));
  }
}
