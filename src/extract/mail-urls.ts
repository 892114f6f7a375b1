import type { RemoteHosts, RemoteKind } from './remote-hosts.ts';

/** Where a part of the mail is to be had, by its content ID; null where there is no such part. */
export type PartUrl = (contentId: string) => string | null;

/** A name that nobody has (RFC 2606), so that what leads there is known to be relative. */
const NOWHERE = 'http://relative.invalid';

/** Reads what a mail's HTML names, as a browser would, and says what of it may stay. */
export class MailUrls {
  readonly #remote: RemoteHosts;
  readonly #partUrl: PartUrl;
  readonly #named = new Set<string>();
  #base: string | null = null;

  constructor(remote: RemoteHosts, partUrl: PartUrl) {
    this.#remote = remote;
    this.#partUrl = partUrl;
  }

  /** The content IDs it names. */
  get named(): ReadonlySet<string> {
    return this.#named;
  }

  /** The mail's `<base>`, the first of them; itself it is not written. */
  setBase(href: string): void {
    const url = this.#parse(href);
    if (this.#base === null && url !== null && /^https?:$/.test(url.protocol)) this.#base = url.href;
  }

  /** What is loaded: a part of the mail, data, or what an allowed host has; null for all else. */
  resource(value: string, kind: RemoteKind): string | null {
    const trimmed = bare(value);
    if (/^cid:/i.test(trimmed)) return this.part(trimmed.slice('cid:'.length));
    if (/^data:/i.test(trimmed)) return trimmed;
    const url = this.#parse(trimmed);
    if (url === null || !/^https?:$/.test(url.protocol)) return null;
    return this.#remote.see(url.host, kind) ? url.href : null;
  }

  part(contentId: string): string | null {
    const id = decoded(contentId);
    this.#named.add(id);
    return this.#partUrl(id);
  }

  /** What a click may open; null for scripts and whatever else a link can be. */
  link(value: string): string | null {
    const trimmed = bare(value);
    if (trimmed.startsWith('#')) return trimmed;
    const url = this.#parse(trimmed);
    return url !== null && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : null;
  }

  /** Null where it is none, or relative to nothing. */
  #parse(value: string): URL | null {
    const base = this.#base ?? NOWHERE;
    if (!URL.canParse(value, base)) return null;
    const url = new URL(value, base);
    return url.origin === NOWHERE ? null : url;
  }
}

/** Without what browsers drop from a URL. */
function bare(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
  return value.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, '');
}

/** A content ID as a URL has it. */
function decoded(id: string): string {
  const trimmed = id.trim();
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return trimmed;
  }
}
