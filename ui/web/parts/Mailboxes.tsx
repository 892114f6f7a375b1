import {
  type ComponentProps,
  type KeyboardEvent,
  memo,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { ALL_MAIL } from '../app/api.ts';
import { ALL_NAME } from '../app/page-title.ts';
import { mailboxRoute, type Route } from '../app/route.ts';
import { type MailboxEntry, shownMailbox } from '../app/state.ts';
import { loadCode } from '../machine/load-code.ts';
import { scrollToRow, windowOf } from '../mail/list-window.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { Icon } from './Icon.tsx';
import { groupMailboxes, isWorker, type MailboxSection, splitName } from './mailbox-groups.ts';
import type { TestPlace } from './test-places.ts';
import { useWaits } from './use-waits.ts';

/** A line of the list: the name of a group, all mailboxes together, a test of a run, or one mailbox. */
type Line =
  | { readonly is: 'group'; readonly group: MailboxSection }
  | { readonly is: 'all' }
  | { readonly is: 'test'; readonly place: TestPlace }
  /** `place` is that of a test that has this mailbox alone: both are one line. */
  | {
      readonly is: 'mailbox';
      readonly mailbox: MailboxEntry;
      readonly isOfTest?: boolean | undefined;
      readonly place?: TestPlace | undefined;
    };

/** The heights of a line in the sidebar and in the dialog, where a thumb may choose. */
const LINE = 28;
const TALL_LINE = 44;

/**
 * Lists the mailboxes of all workspaces, grouped by runs and their tests. It draws only the lines in sight, and is one
 * stop of the Tab key: the arrow keys move in it. `onPick` is called with the chosen one; it is null in the sidebar.
 */
export function Mailboxes({ onPick = null }: { readonly onPick?: (() => void) | null }) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const workspaces = useView(({ workspaces }) => workspaces);
  const currentId = useView((state) => (state.route.at === 'runs' ? state.route.testId : shownMailbox(state)));
  const waits = useWaits();
  const known = useTestPlaces(workspaces.some(isWorker));
  const [wanted, setWanted] = useState('');
  const part = wanted.trim().toLowerCase();
  const lines = useMemo(() => {
    const places = known ?? NO_PLACES;
    const workers = new Set(workspaces.filter(isWorker).map(({ id }) => id));
    // Those of tests come with their order, below the others, which they would move otherwise.
    const found = mailboxes.filter(
      ({ id, name, subdomain, workspaceId }) =>
        (known !== null || !workers.has(workspaceId)) &&
        `${name} ${subdomain} ${places.get(id)?.test.name ?? ''}`.toLowerCase().includes(part),
    );
    const waiting = new Set(waits.flatMap(({ mailboxId }) => (mailboxId === null ? [] : [mailboxId])));
    const groups = groupMailboxes(found, workspaces, waiting, places);
    return [
      ...(mailboxes.length > 1 && part === '' ? [{ is: 'all' } as const] : []),
      ...groups.flatMap((group): Line[] => [
        ...(workspaces.length > 1 ? [{ is: 'group', group } as const] : []),
        ...group.mailboxes.flatMap((mailbox, at): Line[] => {
          const place = places.get(mailbox.id);
          const isSame = (other: number) => place?.test.id === places.get(group.mailboxes[other]?.id ?? '')?.test.id;
          const line = { is: 'mailbox', mailbox, isOfTest: place !== undefined } as const;
          if (place === undefined || isSame(at - 1)) return [line];
          return isSame(at + 1) || place.hasOwnName
            ? [{ is: 'test', place }, line]
            : [{ is: 'mailbox', mailbox, place }];
        }),
      ]),
    ];
  }, [mailboxes, workspaces, waits, known, part]);
  const first = lines.find((line) => line.is === 'mailbox');
  const list = useRef<HTMLDivElement>(null);
  return (
    <div className="mailboxes">
      {mailboxes.length > 7 && (
        <search className="mailbox-find">
          <input
            type="search"
            className="small"
            data-first={onPick === null ? undefined : true}
            placeholder="Find a mailbox"
            aria-label="Find a mailbox"
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') {
                event.preventDefault();
                list.current?.querySelector<HTMLElement>('a')?.focus();
              }
              if (event.key !== 'Enter' || part === '' || first === undefined) return;
              event.preventDefault();
              shell.go(mailboxRoute(first.mailbox.id));
              onPick?.();
            }}
          />
        </search>
      )}
      <Lines key={part} box={list} lines={lines} currentId={currentId} onPick={onPick} />
      {lines.length === 0 && part !== '' && <p className="faint none">No mailbox has this name.</p>}
    </div>
  );
}

const NO_PLACES: ReadonlyMap<string, TestPlace> = new Map();

/** Returns the tests of mailboxes. Their code is loaded once there are workers of tests; null until it has asked. */
function useTestPlaces(isNeeded: boolean): ReadonlyMap<string, TestPlace> | null {
  const { api } = useShell();
  const [places, setPlaces] = useState<ReadonlyMap<string, TestPlace> | null>(null);
  useEffect(() => {
    if (!isNeeded) return;
    let isLeft = false;
    let stop = () => {};
    void loadCode(() => import('./run-places.ts')).then(
      ({ followRuns }) => {
        if (!isLeft) stop = followRuns(api, setPlaces);
      },
      () => setPlaces(NO_PLACES),
    );
    return () => {
      isLeft = true;
      stop();
    };
  }, [api, isNeeded]);
  return isNeeded ? places : NO_PLACES;
}

function Lines({
  box,
  lines,
  currentId,
  onPick,
}: {
  readonly box: { current: HTMLDivElement | null };
  readonly lines: readonly Line[];
  readonly currentId: string | null;
  readonly onPick: (() => void) | null;
}) {
  const height = onPick === null ? LINE : TALL_LINE;
  const [view, setView] = useState({ top: 0, height: 600 });
  const current = lines.findIndex((line) => isOf(line, currentId));
  const [moved, setMoved] = useState<number | null>(null);
  const stop = Math.min(moved ?? Math.max(current, 0), lines.length - 1);
  const see = () => {
    const shown = box.current;
    if (shown === null) return;
    const { scrollTop, clientHeight } = shown;
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight },
    );
  };
  const reveal = (index: number) => {
    const shown = box.current;
    if (shown === null || index < 0) return;
    shown.scrollTop = scrollToRow(index, shown.scrollTop, shown.clientHeight, height);
    see();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size is watched once
  useLayoutEffect(() => {
    see();
    const watcher = new ResizeObserver(see);
    if (box.current !== null) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  // The shown mailbox is in sight, however many others there are, until the reader looks for another one.
  const isRead = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list scrolls only to another mailbox
  useLayoutEffect(() => {
    setMoved(null);
    isRead.current = false;
  }, [currentId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list scrolls only if the mailbox is at another place
  useLayoutEffect(() => {
    if (isRead.current) return;
    // The name of its group stands above it.
    reveal(current - 1);
    reveal(current);
  }, [currentId, current]);
  // A key moved to a line that was not drawn before, and the line that had the focus may be drawn no more.
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isMoving.current || moved === null) return;
    const line = box.current?.querySelector<HTMLElement>(`[data-line="${moved}"]`);
    if (line === undefined || line === null) return;
    isMoving.current = false;
    line.focus({ preventScroll: true });
  });
  const key = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -lines.length, End: lines.length }[event.key];
    if (by === undefined) return;
    const target = event.target instanceof HTMLElement ? Number(event.target.dataset['line'] ?? stop) : stop;
    let next = Math.min(Math.max(target + by, 0), lines.length - 1);
    // The name of a group is no stop.
    const step = by < 0 && next > 0 ? -1 : 1;
    while (lines[next]?.is === 'group') next += step;
    event.preventDefault();
    event.stopPropagation();
    isRead.current = true;
    if (lines[next] === undefined) return;
    isMoving.current = true;
    reveal(next);
    setMoved(next);
  };
  const { from, to, offset, total } = windowOf(view.top, view.height, height, lines.length);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between its links
    <div
      className="mailbox-lines"
      ref={box}
      onScroll={see}
      onKeyDown={key}
      onWheel={() => {
        isRead.current = true;
      }}
      onPointerDown={() => {
        isRead.current = true;
      }}
    >
      <div style={{ height: `${total}px` }}>
        <div style={{ transform: `translateY(${offset}px)` }}>
          {lines.slice(from, to).map((line, index) => {
            const at = from + index;
            const isStop = at === stop || (stop < from && at === from) || (stop >= to && at === to - 1);
            if (line.is === 'group') return <GroupHead key={`group ${line.group.id}`} group={line.group} />;
            const common = { line: at, isStop, isCurrent: isOf(line, currentId), onPick };
            return line.is === 'all' ? (
              <LineLink key="all" to={mailboxRoute(ALL_MAIL)} {...common}>
                <span className="cut">{ALL_NAME}</span>
              </LineLink>
            ) : line.is === 'test' ? (
              <TestLink key={`test ${line.place.test.id}`} place={line.place} {...common} />
            ) : (
              <MailboxLink
                key={line.mailbox.id}
                mailbox={line.mailbox}
                isOfTest={line.isOfTest}
                place={line.place}
                {...common}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Tells whether a line is that of a mailbox, or of a test. */
function isOf(line: Line, id: string | null): boolean {
  if (line.is === 'all') return id === ALL_MAIL;
  if (line.is === 'group') return false;
  return line.is === 'mailbox' && line.mailbox.id === id ? true : id !== null && line.place?.test.id === id;
}

const SAID = { waiting: 'a test waits', failed: 'a test failed', done: 'done', plain: '' } as const;

function GroupHead({ group: { title, state } }: { readonly group: MailboxSection }) {
  return (
    <h3 className={`group ${state}`} title={title}>
      <span className="cut">{harmlessLine(title, 80)}</span>
      {SAID[state] !== '' && <span className="group-state">{SAID[state]}</span>}
    </h3>
  );
}

interface LinkProps {
  readonly line: number;
  readonly isStop: boolean;
  readonly isCurrent: boolean;
  readonly onPick: (() => void) | null;
}

/** A line that leads to a route. */
function LineLink({
  line,
  isStop,
  isCurrent,
  onPick,
  to,
  className = '',
  title,
  children,
}: LinkProps & Pick<ComponentProps<'a'>, 'className' | 'title' | 'children'> & { readonly to: Route }) {
  return (
    <a
      className={`mailbox ${className}`}
      href={href(to)}
      title={title}
      aria-current={isCurrent ? 'true' : undefined}
      data-line={line}
      tabIndex={isStop ? 0 : -1}
      onClick={() => onPick?.()}
    >
      {children}
    </a>
  );
}

/** Leads to a test of a run. Its mailboxes stand below it. */
function TestLink({ place: { run, test }, ...rest }: LinkProps & { readonly place: TestPlace }) {
  const [begin, end] = splitName(harmlessLine(test.shortName, 160));
  return (
    <LineLink
      className={`of-test ${test.outcome}`}
      to={{ at: 'runs', runId: run.id, testId: test.id }}
      title={test.name}
      {...rest}
    >
      <span className="cut">{begin}</span>
      {end !== '' && <span className="end">{end}</span>}
      <span className="outcome">{test.outcome}</span>
    </LineLink>
  );
}

const MailboxLink = memo(DrawnMailboxLink);

function DrawnMailboxLink({
  mailbox,
  isOfTest,
  place,
  ...rest
}: LinkProps & Omit<Extract<Line, { is: 'mailbox' }>, 'is'>) {
  const { id, name, subdomain, gone, messageCount, unreadCount: unread } = mailbox;
  const waits = useWaits().filter(({ mailboxId }) => mailboxId === id).length;
  const whole = harmlessLine(place?.test.shortName ?? (name || subdomain), 160);
  const [begin, end] = splitName(whole);
  const link = (
    <LineLink
      className={`${gone ? 'gone' : ''} ${isOfTest ? 'in-test' : ''}`}
      to={mailboxRoute(id)}
      title={`${place?.test.name ?? whole}\n${gone ? `${subdomain}: deleted when its test ended` : `${subdomain}: ${messageCount} messages`}`}
      {...rest}
    >
      <span className="cut" data-said={gone && end === '' ? ', done' : undefined}>
        {begin}
      </span>
      {end !== '' && (
        <span className="end" data-said={gone ? ', done' : undefined}>
          {end}
        </span>
      )}
      {waits > 0 && (
        <span className="wait-mark" data-said=", a test waits here" title="A test waits here">
          <Icon name="wait" size={12} />
        </span>
      )}
      {unread > 0 && !gone && (
        <span className="unread-count" data-said=" unread">
          {unread > 9_999 ? '9999+' : unread}
        </span>
      )}
    </LineLink>
  );
  if (place === undefined) return link;
  return (
    <div className="test-line">
      {link}
      <Outcome place={place} tabIndex={rest.isStop ? 0 : -1} onClick={() => rest.onPick?.()} />
    </div>
  );
}

/** Leads to the test of the mailbox beside it. */
function Outcome({ place: { run, test }, ...rest }: ComponentProps<'a'> & { readonly place: TestPlace }) {
  return (
    <a
      className={`outcome ${test.outcome}`}
      href={href({ at: 'runs', runId: run.id, testId: test.id })}
      title="Show the test"
      {...rest}
    >
      {test.outcome}
    </a>
  );
}
