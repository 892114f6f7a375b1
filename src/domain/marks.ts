/** The marks of a message. People and tests set them; they say nothing about the mail itself. */
export interface Marks {
  readonly isRead: boolean;
  readonly isStarred: boolean;
  /** The tags in the order of their names. No two differ only in their case. */
  readonly tags: readonly string[];
}

/** The marks of a message that just came. */
export const UNMARKED: Marks = { isRead: false, isStarred: false, tags: [] };

/** A change of marks. What it leaves out stays. */
export interface MarkChange {
  readonly read?: boolean | undefined;
  readonly starred?: boolean | undefined;
  /** Replaces all tags. It comes before the two below. */
  readonly tags?: readonly string[] | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
}

/** The number of characters in a tag, at most. */
export const MOST_TAG_CHARACTERS = 100;
/** The number of tags of a message, at most. */
export const MOST_TAGS = 50;
/** The number of different tags of a workspace, at most. */
export const MOST_WORKSPACE_TAGS = 2_000;

/** A tag of a workspace, with the number of messages that have it. */
export interface TagCount {
  readonly name: string;
  readonly count: number;
}

/** The tags that messages of a workspace have. */
export interface WorkspaceTags {
  readonly size: number;
  /** Returns a tag as the messages write it, which may differ in case. Null if no message has it. */
  nameOf(tag: string): string | null;
  /** Lists them by name. */
  list(): readonly TagCount[];
}

const FORBIDDEN = /[^\p{L}\p{M}\p{N}\-_.@ ]/u;
const EVERY_FORBIDDEN = /[^\p{L}\p{M}\p{N}\-_.@ ]/gu;

/** Returns the form in which tags are compared: without case. */
export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/** Reads the name of a tag: letters, digits, spaces and `- _ . @`. Returns null for another text. */
export function parseTag(text: string): string | null {
  // A text over this length is refused before it is copied.
  if (text.length > 4 * MOST_TAG_CHARACTERS) return null;
  const tag = text.normalize('NFC').trim().replace(/ {2,}/g, ' ');
  return tag === '' || [...tag].length > MOST_TAG_CHARACTERS || FORBIDDEN.test(tag) ? null : tag;
}

/** Makes a tag of any text, as Mailpit does: other characters become spaces, and a long one is cut. Null if nothing is left. */
export function cleanTag(text: string): string | null {
  const cut = text.slice(0, 4 * MOST_TAG_CHARACTERS).normalize('NFC');
  const tag = [...cut.replace(EVERY_FORBIDDEN, ' ').replace(/ {2,}/g, ' ').trim()]
    .slice(0, MOST_TAG_CHARACTERS)
    .join('')
    .trim();
  return tag === '' ? null : tag;
}

/** Makes tags of texts, and leaves out those of which nothing is left. */
export function cleanTags(texts: readonly string[]): string[] {
  return texts.map(cleanTag).filter((tag) => tag !== null);
}

/** Returns tags in the order of their names, each once. Of two that differ in case, the first one stays. */
export function sortedTags(tags: Iterable<string>): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, tag]) => tag);
}

/** Applies a change to marks. Returns null if nothing changes. */
export function changeMarks({ isRead, isStarred, tags }: Marks, change: MarkChange): Marks | null {
  const removed = new Set(change.removeTags?.map(tagKey));
  const asked = [...(change.tags ?? tags), ...(change.addTags ?? [])].filter((tag) => !removed.has(tagKey(tag)));
  const next: Marks = {
    isRead: change.read ?? isRead,
    isStarred: change.starred ?? isStarred,
    tags: sortedTags(asked),
  };
  const isSame = next.isRead === isRead && next.isStarred === isStarred && sameTexts(next.tags, tags);
  return isSame ? null : next;
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** The parts of a mail from which rules make tags. */
export interface TaggedMail {
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly rcptTo: readonly string[];
  /** The header field X-Tags. Null if there is none. */
  readonly xTags: string | null;
}

/** The rules that need no search words (docs/search.md#marks). */
export interface TagRules {
  readonly xTags: boolean;
  readonly plusAddresses: boolean;
}

/** Lists the tags that the rules make of a mail. They are not sorted. */
export function tagsByRule(mail: TaggedMail, rules: TagRules): string[] {
  const texts: string[] = [];
  if (rules.xTags && mail.xTags !== null) texts.push(...mail.xTags.split(','));
  if (rules.plusAddresses)
    for (const list of [mail.to, mail.cc, ...mail.rcptTo, mail.from]) if (list !== null) texts.push(...plusTags(list));
  return cleanTags(texts);
}

/** The characters of an address list that are read for plus-addresses. */
const READ_CHARACTERS = 16_000;
/** The name before an address, which may hold anything. */
const QUOTED_NAME = /"[^"]*"\s*</g;
const BETWEEN_ADDRESSES = /[\s"'<>(),:;]+/;

/** Lists what stands behind the plus signs of the addresses in a list: `ada+news+spring@x.test` has two. */
function plusTags(list: string): string[] {
  // Nearly all lists have none, and this runs for every mail.
  if (!list.includes('+')) return [];
  const words = list.slice(0, READ_CHARACTERS).replace(QUOTED_NAME, '<').split(BETWEEN_ADDRESSES);
  return words.flatMap((word) => {
    const at = word.lastIndexOf('@');
    return at < 0 ? [] : word.slice(0, at).split('+').slice(1);
  });
}
