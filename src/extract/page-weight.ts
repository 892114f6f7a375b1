// A sender decides how often the HTML of a mail refers to a picture, and how long it is. These are the bounds of the
// page that mailcap makes of it.

/** The most that a page may weigh, in characters. */
export interface PageBounds {
  /** The HTML, without the pictures of the mail's parts. */
  readonly html: number;
  /** The embedded pictures, as `data:` URLs. */
  readonly pictures: number;
}

/** The largest mail has room for 18 MiB of pictures in base64, so that each of them is shown once. */
export const PAGE_BOUNDS: PageBounds = { html: 16 * 1024 * 1024, pictures: 25 * 1024 * 1024 };

/** The number of characters that are read before the size of the page is looked at. */
export const PIECE_CHARACTERS = 64 * 1024;

/** The number of attributes of an element that are kept. */
export const MAX_ATTRIBUTES = 1_000;

/** What a page does not show, because it would weigh too much. */
export interface LeftOut {
  /** The number of places where a picture is missing. */
  readonly pictures: number;
  readonly attributes: number;
  /** Whether the HTML is cut. */
  readonly end: boolean;
}

/** Says what a page leaves out, in a sentence. Returns null if it is complete. */
export function whatIsLeftOut({ pictures, attributes, end }: LeftOut): string | null {
  const parts = [
    ...(pictures > 0 ? [`its pictures in ${counted(pictures, 'place')}`] : []),
    ...(attributes > 0 ? [counted(attributes, 'attribute')] : []),
    ...(end ? ['the end of the mail'] : []),
  ];
  if (parts.length === 0) return null;
  const all = [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((text) => text !== '').join(' and ');
  return `This page would be too large. mailcap left out ${all}. The text and the source of the mail are complete.`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * Gives out the URLs of the pictures on a page. A first use may take all the room, a repeated use only half of it, so
 * that a picture that is used very often leaves room for the others.
 */
export class PictureRoom {
  readonly #most: number;
  readonly #used = new Set<string>();
  #taken = 0;
  #leftOut = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  get leftOut(): number {
    return this.#leftOut;
  }

  /** Returns the URL, or null if there is no room for it. A URL of null never has room. */
  take(contentId: string, url: string | null): string | null {
    const most = this.#used.has(contentId) ? this.#most / 2 : this.#most;
    if (url === null || this.#taken + url.length > most) {
      this.#leftOut++;
      return null;
    }
    this.#used.add(contentId);
    this.#taken += url.length;
    return url;
  }
}
