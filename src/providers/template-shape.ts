// How much Handlebars' parser is asked to read. Its time grows with the square of the depth of blocks and parentheses, and
// with the words in tags: 128 KB of blocks within blocks took minutes, in which the server answered nobody. So a template
// is measured first, in linear time, by the words of Handlebars' own lexer.

/** The deepest blocks that a template may have. A chain of `{{else if}}` is as deep as it is long. */
export const DEEPEST = 50;
/** What a tag weighs beyond its characters. */
const WEIGHT_OF_TAG = 10;

/** Two braces. After one backslash they are text, after two they open a tag. */
const BRACES = /(?<escaped>(?<!\\)\\)?\{\{/g;
const COMMENT = /~?!(?:--)?/y;
const END_OF_COMMENT = /--~?\}\}/g;
/** A word in a tag: a text, a name in brackets, the end of the tag, or anything else. */
const WORD = /"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|\[(?:\\\]|[^\]])*\]|\}{2,3}|[^"'[{}]+/y;

const OPENS = /^~?(?:#|\^\s*[^\s~])/;
const CHAINS = /^~?\s*else\s+[^\s~]/;
const CLOSES = /^~?\//;

/** Returns what is in the tags of a template: a weight, or why the template can't be parsed. */
export function weightOf(template: string): number | 'too deep' | 'a tag has no end' {
  const blocks: number[] = []; // how deep each open block made the template
  let depth = 0;
  let weight = 0;
  let at = 0;
  for (;;) {
    BRACES.lastIndex = at;
    const braces = BRACES.exec(template);
    if (braces === null) return weight;
    at = BRACES.lastIndex;
    if (braces.groups?.['escaped'] !== undefined) continue;
    const comment = endOfComment(template, at);
    const tag = comment === undefined ? tagAt(template, at) : null;
    at = comment ?? tag?.end ?? -1;
    if (at === -1) return 'a tag has no end';
    if (tag === null) continue;
    weight += tag.weight;
    if (tag.depth > DEEPEST) return 'too deep';
    if (OPENS.test(tag.head)) blocks.push(1);
    else if (CHAINS.test(tag.head)) blocks.push((blocks.pop() ?? 0) + 1);
    else {
      if (CLOSES.test(tag.head)) depth -= blocks.pop() ?? 0;
      continue;
    }
    depth++;
    if (depth > DEEPEST) return 'too deep';
  }
}

/** Returns where the comment behind two braces ends: undefined if there is none, -1 if it has no end. */
function endOfComment(template: string, start: number): number | undefined {
  COMMENT.lastIndex = start;
  const [mark] = COMMENT.exec(template) ?? [];
  if (mark === undefined) return undefined;
  if (!mark.endsWith('--')) {
    const end = template.indexOf('}}', start);
    return end === -1 ? -1 : end + 2;
  }
  END_OF_COMMENT.lastIndex = start;
  return END_OF_COMMENT.exec(template) === null ? -1 : END_OF_COMMENT.lastIndex;
}

/** A tag from behind its opening braces on: its first word, its end, its weight, and how deep its parentheses are. */
function tagAt(template: string, start: number) {
  let head: string | undefined;
  let end = start;
  let weight = WEIGHT_OF_TAG;
  let depth = 0;
  let open = 0;
  if (template[start] === '{') end++; // It opens `{{{name}}}`. A raw block, with four braces, is refused.
  for (;;) {
    WORD.lastIndex = end;
    const word = WORD.exec(template)?.[0];
    if (word === undefined) return null;
    end += word.length;
    head ??= word;
    if (word.startsWith('}}')) return { head, end, weight, depth };
    if (/^["'[]/.test(word)) weight++;
    else {
      weight += word.length;
      for (const [bracket] of word.matchAll(/[()]/g)) {
        open += bracket === '(' ? 1 : -1;
        depth = Math.max(depth, open);
      }
    }
  }
}
