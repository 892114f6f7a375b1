import { type Marks, parseTag } from '../domain/marks.ts';

// Flags are the marks of the server as far as it has them (docs/imap.md#imap).

/** A command that can't be given now. The text goes behind `BAD`. */
export class CommandUnfit extends Error {
  override readonly name = 'CommandUnfit';
}

/** The marks of a message that flags show. */
export interface MessageFlags extends Marks {
  /** The flags that last as long as the session: the server has no mark for them. */
  readonly session: ReadonlySet<string>;
}

/** The characters of a flag. */
const MOST_CHARACTERS = 200;
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]+$/;

/** Tells whether a text can be written as a keyword, which is an atom. */
export function isKeyword(text: string): boolean {
  return KEYWORD.test(text);
}

/** Writes the flags of a message. */
export function writeFlags({ isRead, isStarred, tags, session }: MessageFlags): string {
  const flags = [...(isRead ? ['\\Seen'] : ['\\Recent']), ...(isStarred ? ['\\Flagged'] : []), ...session];
  return `(${[...flags, ...tags.filter(isKeyword)].join(' ')})`;
}

export const SYSTEM_FLAGS = ['\\Answered', '\\Flagged', '\\Deleted', '\\Seen', '\\Draft'];
/** The system flags that the server has no mark for. */
const OF_SESSION: ReadonlyMap<string, string> = new Map(
  ['\\Answered', '\\Deleted', '\\Draft'].map((flag) => [flag.toLowerCase(), flag]),
);

/** The flags of a command: marks of the server, its tags, and what lasts as long as the session. */
export interface SortedFlags extends Marks {
  readonly session: readonly string[];
}

/** Throws {@link CommandUnfit} for a system flag that does not exist. */
export function sortFlags(flags: readonly string[]): SortedFlags {
  let isRead = false;
  let isStarred = false;
  const tags: string[] = [];
  const session: string[] = [];
  for (const flag of flags) {
    const name = flag.toLowerCase();
    if (flag.length > MOST_CHARACTERS) throw new CommandUnfit(`a flag has at most ${MOST_CHARACTERS} characters`);
    if (name === '\\seen') isRead = true;
    else if (name === '\\flagged') isStarred = true;
    else if (OF_SESSION.has(name)) session.push(OF_SESSION.get(name) ?? flag);
    else if (name.startsWith('\\') && name !== '\\recent') throw new CommandUnfit(`there is no flag ${flag}`);
    else if (parseTag(flag) === flag) tags.push(flag);
    // Keywords such as $Forwarded can't be tags.
    else if (name !== '\\recent') session.push(flag);
  }
  return { isRead, isStarred, tags, session };
}
