import { useEffect, useRef, useState } from 'react';
import { shownMailbox } from '../../shell/state.ts';
import { Icon } from '../parts/Icon.tsx';
import { useShell, useView } from '../use-shell.ts';

const TYPING_MS = 150;
/** Operators of the search, offered as suggestions. */
const WORDS = ['from:', 'to:', 'subject:', 'has:code', '!', 'has:attachment', 'before:', 'after:', 'larger:'];

/** Filters the list while the reader types, and updates the address. */
export function SearchField() {
  const shell = useShell();
  const query = useView(({ route }) => (route.at === 'mail' ? route.query : ''));
  const mailboxId = useView(shownMailbox);
  const [text, setText] = useState(query);
  const [isIn, setIn] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => setText(query), [query]);
  const search = (wanted: string) => {
    const { route } = shell.state.value;
    if (route.at !== 'mail' || mailboxId === null || wanted === route.query) return;
    shell.go({ ...route, mailboxId, query: wanted }, { replace: true });
  };
  const typed = (wanted: string) => {
    setText(wanted);
    if (timer.current !== null) clearTimeout(timer.current);
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
      {isIn && (
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
