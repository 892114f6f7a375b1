/** The hotkeys of `mailcap dev`: the key, a word for the banner, and the line that `?` prints. */
export const HOTKEYS = [
  ['o', 'browser', 'open in the browser'],
  ['i', 'inbox', 'terminal inbox'],
  ['c', 'copy code', 'copy the last code'],
  ['r', 'reset', 'reset: delete all mail'],
  ['?', 'help', 'help'],
  ['q', 'quit', 'quit'],
] as const;
