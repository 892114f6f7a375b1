import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { commandOf } from '../model/keys.ts';
import type { KeyPress } from './key-reader.ts';
import { focusPlace, type Inbox, isReading, readScroll } from './model/inbox.ts';
import type { Input } from './model/inputs.ts';
import type { Screen } from './screen.ts';
import type { Shell } from './shell/shell.ts';
import { findInLines } from './text/find.ts';
import { frameOf, openTextLines } from './views/frame.ts';
import type { Layout, OpenTextLines } from './views/layout.ts';

interface Shown {
  readonly layout: Layout;
  /** The lines of the whole screen, one for each row. */
  readonly lines: readonly string[];
  /** Handles keys by their names in the key table. */
  readonly press: (pressed: KeyPress) => void;
}

/**
 * Connects a shell with a screen. Before each frame, the model receives the screen's size and the length of the open
 * text.
 */
export function useInbox(shell: Shell, screen: Screen): Shown {
  const read = useMemo(() => {
    const reading = readings(shell, screen);
    shell.measureBy((inbox) => measures(inbox, screen, reading(inbox)));
    return reading;
  }, [shell, screen]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const offs = [shell.subscribe(listener), screen.onResize(() => shell.settle())];
      return () => {
        for (const off of offs) off();
      };
    },
    [shell, screen],
  );
  const inbox = useSyncExternalStore(subscribe, () => shell.inbox);
  const layout = useSyncExternalStore(subscribe, screen.layout);
  const press = useCallback((pressed: KeyPress) => pressKeys(shell, screen, pressed), [shell, screen]);
  const { style } = screen;
  const { directory } = shell;
  const lines = frameOf(inbox, { layout, style, directory, now: shell.now(), reading: read(inbox) });
  return { layout, lines, press };
}

/** Returns a function that lays out the open text and finds the matches of the search. It caches the last layout. */
function readings(shell: Shell, screen: Screen): (inbox: Inbox) => OpenTextLines {
  const lines = remembered((inbox: Inbox, layout: Layout) => openTextLines(inbox, layout, screen.style, shell.now()));
  const matches = remembered(findInLines);
  return (inbox) => {
    const { open } = inbox.mail;
    const request = inbox.webhooks.open;
    const layout = screen.layout();
    const key = [
      isReading(inbox),
      layout,
      ...[open?.id, open?.mail, open?.view, open?.source, open?.failure],
      ...[request?.id, request?.request, request?.failure],
    ];
    const text = lines(key, inbox, layout);
    const wanted = readScroll(inbox)?.find?.text ?? '';
    return { lines: text, matches: matches([text, wanted], text, wanted) };
  };
}

/** Caches the last result of a function until a part of its key changes. */
function remembered<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (key: readonly unknown[], ...args: Args) => Result {
  let last: { readonly key: readonly unknown[]; readonly result: Result } | null = null;
  return (key, ...args) => {
    const known = last;
    if (known?.key.length === key.length && key.every((part, at) => part === known.key[at])) return known.result;
    const result = compute(...args);
    last = { key, result };
    return result;
  };
}

function measures(inbox: Inbox, screen: Screen, { lines, matches }: OpenTextLines): Input[] {
  const { height, split } = screen.layout();
  const { all, besides } = inbox.mail;
  const isFitted = all.height === height && besides === split;
  const resized: Input[] = isFitted ? [] : [{ is: 'resized', height, besides: split }];
  if (isReading(inbox) === null) return resized;
  const found = matches.map((match) => match[0]?.line ?? 0);
  return [...resized, { is: 'measured', lines: lines.length, height, matches: found }];
}

/**
 * Runs the commands of keys one by one, since each can change the place. In an input field, keys without a command
 * there are text.
 */
function pressKeys(shell: Shell, screen: Screen, { keys, pasted }: KeyPress): void {
  for (const key of keys) {
    if (key === 'ctrl-z') {
      screen.suspend();
      return;
    }
    const { inbox } = shell;
    const place = focusPlace(inbox);
    if (pasted && (place !== 'filter' || key === 'enter' || key === 'escape')) continue;
    const command = commandOf(key, place);
    if (command !== null) shell.give({ is: 'command', command });
    else if (place === 'filter') shell.give({ is: 'typed', text: typedOn(typedSoFar(inbox), key) });
  }
}

function typedSoFar(inbox: Inbox): string {
  const { overlay, mail } = inbox;
  if (overlay?.kind !== 'filter') return '';
  if (overlay.of === 'tags') return overlay.text;
  return overlay.of === 'text' ? (readScroll(inbox)?.find?.text ?? '') : mail.filter;
}

function typedOn(text: string, key: string): string {
  if (key === 'backspace' || key === 'delete') return [...text].slice(0, -1).join('');
  if (key === 'ctrl-u') return '';
  if (key === 'ctrl-w') return text.replace(/(?<!\S)\S+\s*$/, '');
  if (key === 'space') return `${text} `;
  return [...key].length === 1 && text.length < 200 ? text + key : text;
}
