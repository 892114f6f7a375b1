import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { type Inbox, placeOf } from '../model/inbox.ts';
import type { Input } from '../model/inputs.ts';
import { commandOf } from '../model/keys.ts';
import type { Pressed } from './key-reader.ts';
import type { Screen } from './screen.ts';
import type { Shell } from './shell/shell.ts';
import { textOf } from './views/body-lines.ts';
import { isReading, type Layout } from './views/layout.ts';

interface Shown {
  readonly inbox: Inbox;
  readonly layout: Layout;
  /** What is read, laid out for this screen. */
  readonly text: readonly string[];
  /** Takes keys, by their names in the table of keys. */
  readonly press: (pressed: Pressed) => void;
}

/** The inbox of a shell on a screen: the model hears how large the screen is and how long what is read, before it is shown. */
export function useInbox(shell: Shell, screen: Screen): Shown {
  const layOut = useMemo(() => {
    const read = readings(shell, screen);
    shell.measureBy((inbox) => measures(inbox, screen, read(inbox)));
    return read;
  }, [shell, screen]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const offs = [shell.subscribe(listener), screen.onResize(() => shell.measureAgain())];
      return () => {
        for (const off of offs) off();
      };
    },
    [shell, screen],
  );
  const inbox = useSyncExternalStore(subscribe, shell.snapshot);
  const layout = useSyncExternalStore(subscribe, screen.layout);
  const press = useCallback((pressed: Pressed) => pressKeys(shell, screen, pressed), [shell, screen]);
  return { inbox, layout, text: layOut(inbox), press };
}

/** Lays out what is read, once for each text and width. */
function readings(shell: Shell, screen: Screen): (inbox: Inbox) => readonly string[] {
  let last: { readonly key: readonly unknown[]; readonly lines: readonly string[] } = { key: [], lines: [] };
  return (inbox) => {
    const { open } = inbox.mail;
    const request = inbox.hooks.open;
    const layout = screen.layout();
    const key = [
      isReading(inbox),
      layout,
      ...[open?.id, open?.mail, open?.view, open?.source, open?.failure],
      ...[request?.id, request?.request, request?.failure],
    ];
    if (key.length === last.key.length && key.every((part, at) => part === last.key[at])) return last.lines;
    last = { key, lines: textOf(inbox, layout, screen.style, shell.now()) };
    return last.lines;
  };
}

function measures(inbox: Inbox, screen: Screen, text: readonly string[]): Input[] {
  const { height } = screen.layout();
  const resized: Input[] = inbox.mail.all.height === height ? [] : [{ is: 'resized', height }];
  return isReading(inbox) === null ? resized : [...resized, { is: 'measured', lines: text.length, height }];
}

/** What keys mean where the reader is by then. While a filter is typed all but its own keys are text. */
function pressKeys(shell: Shell, screen: Screen, { keys, pasted }: Pressed): void {
  for (const key of keys) {
    if (key === 'ctrl-z') {
      screen.suspend();
      return;
    }
    const { inbox } = shell;
    const place = placeOf(inbox);
    if (pasted && (place !== 'filter' || key === 'enter' || key === 'escape')) continue;
    const command = commandOf(key, place);
    if (command !== null) shell.give({ is: 'command', command });
    else if (place === 'filter') shell.give({ is: 'typed', text: typedOn(inbox.mail.filter, key) });
  }
}

function typedOn(text: string, key: string): string {
  if (key === 'backspace' || key === 'delete') return [...text].slice(0, -1).join('');
  if (key === 'ctrl-u') return '';
  if (key === 'ctrl-w') return text.replace(/\S+\s*$/, '');
  if (key === 'space') return `${text} `;
  return [...key].length === 1 && text.length < 200 ? text + key : text;
}
