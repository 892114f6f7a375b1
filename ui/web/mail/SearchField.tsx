import { useLayoutEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { shownMailbox } from '../app/state.ts';
import { IconButton } from '../parts/controls.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useShell, useView } from '../use-shell.ts';
import { hasWord, readSaved, SEARCH_CHIPS, toggledSaved, toggledWord } from './search-words.ts';

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

/** The name under which the browser keeps the saved searches. */
const SAVED = 'mailcap.searches';

/** Searches that one click adds or removes, and those that the reader saved. */
function Chips({ query, onSearch }: { readonly query: string; readonly onSearch: (query: string) => void }) {
  const { machine } = useShell();
  const [saved, setSaved] = useState(() => readSaved(machine.kept(SAVED)));
  const isChip = SEARCH_CHIPS.some(({ word }) => word === query);
  const save = () => {
    const next = toggledSaved(saved, query);
    machine.keep(SAVED, JSON.stringify(next));
    setSaved(next);
  };
  const chips = [
    ...SEARCH_CHIPS.map(({ word, name }) => ({ name, isOn: hasWord(query, word), to: toggledWord(query, word) })),
    ...saved.map((one) => ({ name: one, isOn: one === query, to: one === query ? '' : one })),
  ];
  return (
    <div className="chips-line">
      {chips.map(({ name, isOn, to }) => (
        <button key={name} type="button" aria-pressed={isOn} onClick={() => onSearch(to)}>
          {harmlessLine(name, 40)}
        </button>
      ))}
      {query !== '' && !isChip && (
        <button type="button" className="save" onClick={save}>
          {saved.includes(query) ? 'Forget this search' : 'Save this search'}
        </button>
      )}
    </div>
  );
}

/** Filters the list with each letter, and updates the address. */
export function SearchField() {
  const shell = useShell();
  const query = useView(({ route }) => (route.at === 'mail' ? route.query : ''));
  const mailboxId = useView(shownMailbox);
  const [text, setText] = useState(query);
  const [isIn, setIn] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const asked = useRef({ query, mailboxId });
  // The field follows the address, but not where the address follows the field: more letters may be in it by then.
  useLayoutEffect(() => {
    const before = asked.current;
    asked.current = { query, mailboxId };
    const isOther = before.mailboxId !== null && before.mailboxId !== mailboxId;
    if (query !== before.query || isOther) setText(query);
  }, [query, mailboxId]);
  const search = (wanted: string) => {
    setText(wanted);
    const { route } = shell.state.value;
    if (route.at !== 'mail' || mailboxId === null || wanted === route.query) return;
    asked.current = { query: wanted, mailboxId };
    shell.go({ ...route, mailboxId, query: wanted }, { replace: true });
  };
  const last = text.slice(text.lastIndexOf(' ') + 1).replace(/^!/, '');
  const offered =
    last !== '' && !last.includes(':') ? [] : WORDS.filter((word) => word !== last && word.startsWith(last));
  return (
    <search className="search">
      <Icon name="search" size={14} />
      <input
        ref={field}
        id="search"
        type="search"
        placeholder="Search, such as from:ada"
        aria-label="Search this mailbox"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onInput={(event) => search(event.currentTarget.value)}
        onFocus={() => setIn(true)}
        onBlur={() => setIn(false)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            if (text === '') document.querySelector<HTMLElement>('.rows')?.focus();
            else search('');
          }
          if (event.key === 'Enter' || event.key === 'ArrowDown') {
            event.preventDefault();
            document.querySelector<HTMLElement>('.rows')?.focus();
          }
        }}
      />
      {!isIn && text === '' && <kbd>/</kbd>}
      {text !== '' && (
        <IconButton
          icon="close"
          label="Clear the search"
          hint="esc"
          className="clear"
          onClick={() => {
            search('');
            field.current?.focus();
          }}
        />
      )}
      <Chips query={query} onSearch={search} />
      {/* The words cover the first rows found. They are offered where a word begins, or lacks its end. */}
      {isIn && offered.length > 0 && (
        <div className="search-words">
          {offered.map((word) => (
            <button
              key={word}
              type="button"
              tabIndex={-1}
              onPointerDown={(event) => {
                event.preventDefault();
                search(text.slice(0, text.length - last.length) + word);
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
