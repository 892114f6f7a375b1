import { isUrl } from '../text/is-url.ts';
import type { RemoteHosts, RemoteKind } from './remote-hosts.ts';

/**
 * Returns the URL of a part of the mail by its content ID. Null means that the part is too large for the page, undefined
 * that there is no such part.
 */
export type PartUrl = (contentId: string) => string | null | undefined;

/** A reserved host name (RFC 2606). A URL that gets this host was relative. */
const NOWHERE = 'http://relative.invalid';

/** Resolves the URLs in a mail's HTML as a browser would, and decides which may stay. */
export class MailUrls {
  readonly #remote: RemoteHosts;
  readonly #partUrl: PartUrl;
  readonly #named = new Set<string>();
  #base: string | null = null;

  constructor(remote: RemoteHosts, partUrl: PartUrl) {
    this.#remote = remote;
    this.#partUrl = partUrl;
  }

  /** The content IDs that the HTML refers to. */
  get named(): ReadonlySet<string> {
    return this.#named;
  }

  /** Sets the base URL. Only the first `<base>` counts, and it is not written to the output. */
  setBase(href: string): void {
    const url = this.#parse(href);
    if (this.#base === null && url !== null && /^https?:$/.test(url.protocol)) this.#base = url.href;
  }

  /**
   * Resolves a URL that loads something: a part of the mail, data, or content of an allowed host. Returns null for
   * anything else.
   */
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
    return this.#partUrl(id) ?? null;
  }

  /** Resolves a URL that a click may open. Returns null for scripts and other schemes. */
  link(value: string): string | null {
    const trimmed = bare(value);
    if (trimmed.startsWith('#')) return trimmed;
    const url = this.#parse(trimmed);
    return url !== null && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : null;
  }

  /** Returns null if it is no URL, or a relative one without a base. */
  #parse(value: string): URL | null {
    const base = this.#base ?? NOWHERE;
    if (!isUrl(value, base)) return null;
    const url = new URL(value, base);
    return url.origin === NOWHERE ? null : url;
  }
}

/** Removes the characters that browsers drop from a URL. */
function bare(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  return value.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, '');
}

/** Decodes a content ID from a URL. */
function decoded(id: string): string {
  const trimmed = id.trim();
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return trimmed;
  }
}
