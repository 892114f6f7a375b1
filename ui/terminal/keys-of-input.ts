import type { Key } from 'ink';

const FLAGS: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pagedown'],
  ['pageUp', 'pageup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  // Terminals send DEL for the backspace key, which Ink calls delete; what a Delete key sends it calls so too.
  ['delete', 'backspace'],
];

/** Keys by their names in the table of keys, and whether they were pasted: what is pasted is text and no commands. */
export interface Pressed {
  readonly keys: readonly string[];
  readonly pasted: boolean;
}

/** Reads what a terminal with bracketed paste sends. */
export function keyReader(): (input: string, key: Key) => Pressed {
  let pasted = false;
  return (input, key) => {
    if (input === '[200~' || input === '[201~') {
      pasted = input === '[200~';
      return { keys: [], pasted };
    }
    return { keys: keyNames(input, key), pasted };
  };
}

/** What comes in one piece may be several keys. */
function keyNames(input: string, key: Key): string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  // A terminal, or what stands between, may join an Esc and the key after it.
  if (key.meta && !key.escape && input !== '') return ['escape', ...charactersOf(input)];
  for (const [flag, name] of FLAGS) if (key[flag]) return [name];
  if (key.ctrl) return input === '' ? [] : [`ctrl-${input}`];
  return charactersOf(input);
}

function charactersOf(input: string): string[] {
  // What is left of an escape sequence that stands for no key.
  if (/^\[[\d;?<>=]*[ -/]*[@-~]$/.test(input) && input.length > 2) return [];
  return [...input].flatMap((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === ' ') return ['space'];
    if (character === '\r' || character === '\n') return ['enter'];
    if (character === '\t') return ['tab'];
    if (character === '\u001b') return ['escape'];
    if (code === 0x7f || code === 0x08) return ['backspace'];
    if (code >= 1 && code <= 26) return [`ctrl-${String.fromCharCode(code + 96)}`];
    return code < 0x20 || (code >= 0x80 && code < 0xa0) ? [] : [character];
  });
}
