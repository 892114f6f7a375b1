/** Keys by their names in the key table. Pasted keys are text and never commands. */
export interface KeyPress {
  readonly keys: readonly string[];
  readonly pasted: boolean;
}

const PASTE_BEGINS = '\u001b[200~';
const PASTE_ENDS = '\u001b[201~';

/** The key names for the sequences that terminals send after ESC [ or ESC O, without modifiers. */
const SEQUENCES: Readonly<Record<string, string>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end', Z: 'shift-tab', M: 'enter' },
  ...{ '1~': 'home', '7~': 'home', '4~': 'end', '8~': 'end', '3~': 'delete', '5~': 'pageup', '6~': 'pagedown' },
};

const CONTROLS: Readonly<Record<string, string>> = {
  ...{ '\r': 'enter', '\n': 'enter', '\t': 'tab', ' ': 'space', '\u007f': 'backspace', '\b': 'backspace' },
};

/** Matches the next key: an escape sequence (ECMA-48 5.4, or SS3), Esc, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with ESC
const NEXT = /\u001b\[[0-?]*[ -/]*[@-~]|\u001bO[@-~]|./gsu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with ESC
const UNFINISHED = /\u001b\[[0-?]*[ -/]*$/;

/**
 * Returns a function that parses the input of a terminal with bracketed paste, one chunk at a time. One chunk can hold
 * several keys. An Esc and a character after it count as two keys, so the parser never waits for the rest of a sequence
 * that begins with Esc alone.
 */
export function keyReader(): (piece: string) => KeyPress[] {
  let rest = '';
  let pasted = false;
  return (piece) => {
    const text = rest + piece;
    const [unfinished = ''] = UNFINISHED.exec(text) ?? [];
    // No key has a sequence this long, so the rest is dropped.
    rest = unfinished.length > 32 ? '' : unfinished;
    const all: KeyPress[] = [];
    let keys: string[] = [];
    const paste = (begins: boolean) => {
      if (keys.length > 0) all.push({ keys, pasted });
      keys = [];
      pasted = begins;
    };
    for (const [token] of text.slice(0, text.length - unfinished.length).matchAll(NEXT)) {
      if (token === PASTE_BEGINS || token === PASTE_ENDS) {
        paste(token === PASTE_BEGINS);
        continue;
      }
      const key = nameOf(token);
      if (key !== null) keys.push(key);
    }
    if (keys.length > 0) all.push({ keys, pasted });
    return all;
  };
}

function nameOf(token: string): string | null {
  if (token === '\u001b') return 'escape';
  if (token.startsWith('\u001b')) return sequenceKey(token.slice(2));
  const named = CONTROLS[token];
  if (named !== undefined) return named;
  const code = token.codePointAt(0) ?? 0;
  if (code >= 1 && code <= 26) return `ctrl-${String.fromCharCode(code + 96)}`;
  return code < 0x20 || (code >= 0x80 && code < 0xa0) ? null : token;
}

/**
 * Returns the key of a sequence such as `5;2~` or `1;5A`. The number before `~` names the key, and the numbers after it
 * are modifiers.
 */
function sequenceKey(sequence: string): string | null {
  const [, number = '', end = ''] = /^(\d*)(?:;\d+)*([A-Z~])$/.exec(sequence) ?? [];
  return SEQUENCES[end === '~' ? `${number}~` : end] ?? null;
}
