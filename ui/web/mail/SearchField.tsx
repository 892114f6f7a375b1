import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { shownMailbox } from '../app/state.ts';
import { Icon } from '../parts/Icon.tsx';
import { useShell, useView } from '../use-shell.ts';

const TYPING_MS = 150;
/** Operators of the search, offered as suggestions. */
const WORDS = [
  'from:',
  'to:',
  'subject:',
  'has:code',
  'has:link',
  '!',
  'has:attachment',
  'after:1h',
  'before:',
  'larger:',
];

/** Filters the list while the reader types, and updates the address. */
export function SearchField() {
  const shell = useShell();
  const query = useView(({ route }) => (route.at === 'mail' ? route.query : ''));
  const mailboxId = useView(shownMailbox);
  const [text, setText] = useState(query);
  const [isIn, setIn] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const asked = useRef({ query, mailboxId });
  const callOff = useCallback(() => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
  }, []);
  // The field follows the address, but not where the address follows the field: more letters may be in it by then.
  useLayoutEffect(() => {
    const before = asked.current;
    asked.current = { query, mailboxId };
    const isOther = before.mailboxId !== null && before.mailboxId !== mailboxId;
    if (query === before.query && !isOther) return;
    callOff();
    setText(query);
  }, [query, mailboxId, callOff]);
  useEffect(() => callOff, [callOff]);
  const search = (wanted: string) => {
    callOff();
    const { route } = shell.state.value;
    if (route.at !== 'mail' || mailboxId === null || wanted === route.query) return;
    asked.current = { query: wanted, mailboxId };
    shell.go({ ...route, mailboxId, query: wanted }, { replace: true });
  };
  const typed = (wanted: string) => {
    setText(wanted);
    callOff();
    timer.current = setTimeout(() => search(wanted), TYPING_MS);
  };
  return (
    <search className="search">
      <Icon name="search" size={14} />
      <input
        ref={field}
        id="search"
        type="search"
        placeholder="Search"
        aria-label="Search this mailbox"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onInput={(event) => typed(event.currentTarget.value)}
        onFocus={() => setIn(true)}
        onBlur={() => setIn(false)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            if (text === '') document.querySelector<HTMLElement>('.rows')?.focus();
            else {
              setText('');
              search('');
            }
          }
          if (event.key === 'Enter' || event.key === 'ArrowDown') {
            event.preventDefault();
            search(text);
            document.querySelector<HTMLElement>('.rows')?.focus();
          }
        }}
      />
      {!isIn && text === '' && <kbd>/</kbd>}
      {/* The words would cover the first rows found. They are offered where the next word begins. */}
      {isIn && (text === '' || text.endsWith(' ')) && (
        <div className="search-words">
          {WORDS.map((word) => (
            <button
              key={word}
              type="button"
              tabIndex={-1}
              onPointerDown={(event) => {
                event.preventDefault();
                typed(`${text}${text === '' || text.endsWith(' ') ? '' : ' '}${word}`);
                field.current?.focus();
              }}
            >
              {word}
            </button>
          ))}
        </div>
      )}
    </search>
  );
}
