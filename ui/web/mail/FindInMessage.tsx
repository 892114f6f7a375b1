import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { FIND, FIND_STEP } from '../on-command.ts';
import { IconButton } from '../parts/controls.tsx';
import { useView } from '../use-shell.ts';
import { placesOf } from './find-places.ts';

/** The highlights of the browser: all places, and the one that the reader is at. */
const ALL = 'found';
const NOW = 'found-now';

/**
 * Finds a text in the shown view of a message or a request. `/` opens it. `onTurn` is told whether it is open: a mail's
 * HTML stands in a frame that no page can look into, and its words take its place until then.
 */
export function FindInMessage({ onTurn }: { readonly onTurn?: (isOpen: boolean) => void }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const find = () => setOpen(true);
    addEventListener(FIND, find);
    return () => removeEventListener(FIND, find);
  }, []);
  useEffect(() => {
    addEventListener('keydown', chooseText);
    return () => removeEventListener('keydown', chooseText);
  }, []);
  return isOpen ? <FindBar onTurn={onTurn} onClose={() => setOpen(false)} /> : null;
}

/** The places in which ctrl a chooses something else. */
const OTHERS = 'input, textarea, select, dialog, [data-place=messages], [data-place=requests]';

/** Chooses all of the text that is read on ctrl a. A browser would choose the page around it too. */
function chooseText(event: KeyboardEvent): void {
  if (event.key !== 'a' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  const view = document.querySelector('.message-pane :not([hidden]) > .view, .message-pane > .view');
  if (view === null || document.activeElement?.closest(OTHERS)) return;
  event.preventDefault();
  getSelection()?.selectAllChildren(view.querySelector('pre') ?? view);
}

function FindBar({
  onTurn,
  onClose,
}: {
  readonly onTurn: ((isOpen: boolean) => void) | undefined;
  readonly onClose: () => void;
}) {
  const route = useView(({ route }) => route);
  const [wanted, setWanted] = useState('');
  const [found, setFound] = useState({ count: 0, at: 0, lack: '' });
  const ranges = useRef<readonly Range[]>([]);
  const field = useRef<HTMLInputElement>(null);
  const show = (at: number) => {
    const range = ranges.current[at];
    CSS.highlights.set(NOW, new Highlight(...(range === undefined ? [] : [range])));
    range?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
    if (range !== undefined) scrollTo(range);
    // A view that shows less than all of a text, or shows it encoded, says so.
    const place = document.querySelector<HTMLElement>('.message-pane .view [data-lacks]');
    setFound({ count: ranges.current.length, at, lack: place?.dataset['lacks'] ?? '' });
  };
  const look = () => {
    const view = document.querySelector('.message-pane .view');
    ranges.current = view === null ? [] : placesOf(view, wanted);
    CSS.highlights.set(ALL, new Highlight(...ranges.current));
    show(0);
  };
  const latest = useRef({ look, show, found });
  latest.current = { look, show, found };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the search opens and closes once
  useLayoutEffect(() => {
    field.current?.focus();
    onTurn?.(true);
    return () => onTurn?.(false);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has other places
  useEffect(() => {
    latest.current.look();
    // A view may load its text later.
    const view = document.querySelector('.message-pane .view');
    const watcher = new MutationObserver(() => latest.current.look());
    if (view !== null) watcher.observe(view, { childList: true, characterData: true, subtree: true });
    return () => watcher.disconnect();
  }, [wanted, route]);
  useEffect(() => {
    const step = (event: Event) => {
      if (!(event instanceof CustomEvent)) return;
      event.preventDefault();
      const { count, at } = latest.current.found;
      if (count > 0) latest.current.show((at + event.detail + count) % count);
    };
    addEventListener(FIND_STEP, step);
    return () => {
      removeEventListener(FIND_STEP, step);
      CSS.highlights.delete(ALL);
      CSS.highlights.delete(NOW);
    };
  }, []);
  const turn = (by: number) => dispatchEvent(new CustomEvent(FIND_STEP, { detail: by, cancelable: true }));
  const close = () => {
    onClose();
    document.getElementById('message')?.focus({ preventScroll: true });
  };
  return (
    <search className="find-bar">
      <input
        ref={field}
        type="search"
        className="small"
        placeholder="Find in this text"
        aria-label="Find in this text"
        autoComplete="off"
        spellCheck={false}
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          event.stopPropagation();
          if (event.key === 'Enter') turn(event.shiftKey ? -1 : 1);
          else close();
        }}
      />
      <span className="faint" role="status">
        {wanted === '' ? '' : found.count === 0 ? 'not found' : `${found.at + 1} of ${found.count}`}
      </span>
      <IconButton icon="up" label="Previous match" hint="N" disabled={found.count === 0} onClick={() => turn(-1)} />
      <IconButton icon="down" label="Next match" hint="n" disabled={found.count === 0} onClick={() => turn(1)} />
      <IconButton icon="close" label="Close the search" hint="esc" onClick={close} />
      {wanted !== '' && found.count === 0 && found.lack !== '' && <p className="faint">{found.lack}</p>}
    </search>
  );
}

/** Scrolls the pane so that a place in a long text is in sight. */
function scrollTo(range: Range): void {
  const pane = document.getElementById('message');
  if (pane === null) return;
  const [place, seen] = [range.getBoundingClientRect(), pane.getBoundingClientRect()];
  const margin = seen.height / 3;
  if (place.top < seen.top + 96 || place.bottom > seen.bottom) pane.scrollBy({ top: place.top - seen.top - margin });
}
