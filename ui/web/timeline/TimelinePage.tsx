import { useEffect, useMemo, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidMoment, saidTime } from '../../../src/text/said.ts';
import { firstUlidAt } from '../../../src/text/ulid-digits.ts';
import type { RequestPreview } from '../app/api.ts';
import { ALL_NAME } from '../app/page-title.ts';
import type { FeedEvent } from '../app/ports.ts';
import { messageRoute, type Route, webhooksRoute } from '../app/route.ts';
import { Button, Empty } from '../parts/controls.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { Icon } from '../parts/Icon.tsx';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { useEventNames } from '../webhooks/use-event-names.ts';
import { RefusedSession } from './Sessions.tsx';
import { KIND_NAMES, TIMELINE_KINDS, type TimelineItem, timelineItem, timelineOf } from './timeline.ts';

const HOUR_MS = 3_600_000;
const SHOWN = 200;
/** The most events of one answer of the server. */
const PAGE = 500;
/** The most events that the page reads. */
const MOST = 5_000;
/** The longest time to look back, in hours: half a year. */
const MOST_HOURS = 4_380;
const ICONS: Readonly<Record<TimelineItem['kind'], IconName>> = {
  mail: 'mail',
  webhook: 'webhook',
  send: 'send',
  refusal: 'alert',
  mailbox: 'inbox',
  server: 'tools',
};

/** Tests have a page of their own. */
function isShown({ type }: { readonly type: string }): boolean {
  return type !== 'run.updated';
}

/** Shows mail, webhooks, sends, refusals and resets in one list, newest first. */
export function TimelinePage({ route }: { readonly route: Extract<Route, { at: 'timeline' }> }) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const hours = route.hours ?? 1;
  const [shown, setShown] = useState(SHOWN);
  const [fresh, setFresh] = useState<readonly TimelineItem[]>([]);
  const { value, failure, slow, reload } = useLoaded(
    `timeline ${hours} ${route.mailboxId}`,
    async () => {
      // The ids of events have the real time, however the clock of the server is shifted.
      const now = shell.now() - shell.state.value.shiftedSeconds * 1_000;
      const since = firstUlidAt(Math.max(0, Math.floor(now - hours * HOUR_MS)));
      const mailboxId = route.mailboxId ?? undefined;
      const events: FeedEvent[] = [];
      for (;;) {
        const before = events.at(-1)?.id;
        const page = await shell.api.listEvents({ since, before, mailboxId, newest: true, limit: PAGE });
        events.push(...page);
        const items = events.filter(isShown).map(timelineItem);
        const [isAll, isMost] = [page.length < PAGE, events.length >= MOST];
        if (isAll || isMost || timelineOf(items, route).length > shown) return { items, isAll, isMost };
      }
    },
    ({ type }) => type === 'reset',
  );
  useEffect(
    () =>
      shell.server.onEvents((events) =>
        setFresh((before) => [...events.filter(isShown).map(timelineItem), ...before].slice(0, MOST)),
      ),
    [shell],
  );
  const items = useMemo(() => timelineOf([...fresh, ...(value?.items ?? [])], route), [fresh, value, route]);
  const seen = items.slice(0, shown);
  // The server may have more events of the chosen kinds, and more for a longer list.
  const isShort = value !== null && !value.isAll && !value.isMost && items.length <= shown;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer that was on its way may be short of what is shown now
  useEffect(() => {
    if (isShort) reload();
  }, [isShort, value, shown, reload]);
  const events = useEventNames(
    seen.flatMap(({ leadsTo, isCapture }) =>
      isCapture && leadsTo !== null && 'request' in leadsTo ? [leadsTo.request] : [],
    ),
  );
  const subjects = useMemo(
    () =>
      new Map(
        [...fresh, ...(value?.items ?? [])].flatMap((item) =>
          item.leadsTo !== null && 'message' in item.leadsTo && item.leadsTo.message === item.id
            ? [[item.id, item.title] as const]
            : [],
        ),
      ),
    [fresh, value],
  );
  const webhooks = useLoaded(
    'webhooks of the timeline',
    () => shell.api.listAllWebhooks(),
    ({ type }) => type.startsWith('webhook.'),
  );
  const to = (part: Partial<typeof route>) => shell.go({ ...route, ...part }, { replace: true });
  return (
    <div className="page">
      <header>
        <h1>Timeline</h1>
        <span className="grow" />
        <select
          className="mailbox-choice"
          aria-label="Mailbox"
          value={route.mailboxId ?? ''}
          onChange={(event) => to({ mailboxId: event.currentTarget.value || null })}
        >
          <option value="">{ALL_NAME}</option>
          {mailboxes.map(({ id, name }) => (
            <option key={id} value={id}>
              {harmlessLine(name, 60)}
            </option>
          ))}
        </select>
        <fieldset className="kinds chips-line">
          <legend className="sr">Kinds</legend>
          {TIMELINE_KINDS.map((kind) => (
            <button
              type="button"
              key={kind}
              aria-pressed={route.kinds.includes(kind)}
              onClick={() =>
                to({
                  kinds: route.kinds.includes(kind)
                    ? route.kinds.filter((one) => one !== kind)
                    : [...route.kinds, kind],
                })
              }
            >
              {KIND_NAMES[kind]}
            </button>
          ))}
        </fieldset>
      </header>
      <div className="page-body">
        {value === null || (isShort && items.length === 0) ? (
          <NotLoaded failure={failure} slow={slow} onRetry={reload} />
        ) : items.length === 0 ? (
          <Empty icon="activity" title="Nothing happened">
            <p>
              {value.isAll
                ? `In the last ${hours === 1 ? 'hour' : `${hours} hours`} nothing of this kind was told.`
                : `None of the newest ${MOST.toLocaleString('en-US')} events is of this kind.`}{' '}
              What happens from now on is shown at once.
            </p>
          </Empty>
        ) : (
          <ol className="timeline">
            {seen.map((item) => (
              <Line
                key={item.id}
                item={item}
                place={placeOf(item)}
                event={eventOf(item)}
                subject={item.messageId ? subjects.get(item.messageId) : undefined}
              />
            ))}
          </ol>
        )}
        {/* It stands below what is loaded, and would move if it came before. */}
        {(value !== null || failure !== null) && (
          <div className="form-actions">
            {items.length > shown && (
              <Button onClick={() => setShown(shown + SHOWN)}>
                {value?.isAll === false && !value.isMost ? 'More' : `${items.length - shown} more`}
              </Button>
            )}
            {value?.isMost && !value.isAll && (
              <p className="faint">Older events than the newest {MOST.toLocaleString('en-US')} are not shown.</p>
            )}
            {value?.isAll !== false && (
              <Button
                look="quiet"
                disabled={hours >= MOST_HOURS}
                onClick={() => to({ hours: Math.min(MOST_HOURS, hours * 4) })}
              >
                Look further back
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  );

  function placeOf({ kind, mailboxId, webhookId }: TimelineItem): string {
    // What tells of a mailbox names it already.
    if (kind === 'mailbox') return '';
    if (mailboxId !== null) return mailboxes.find(({ id }) => id === mailboxId)?.name ?? '';
    return webhooks.value?.find(({ id }) => id === webhookId)?.name ?? '';
  }

  function eventOf({ leadsTo, isCapture }: TimelineItem) {
    return isCapture && leadsTo !== null && 'request' in leadsTo ? events.get(leadsTo.request) : undefined;
  }
}

/** A line of the timeline. `place` names its mailbox or webhook. `event` is that of a webhook, `subject` that of a mail. */
function Line({
  item,
  place,
  event,
  subject,
}: {
  readonly item: TimelineItem;
  readonly place: string;
  readonly event: RequestPreview | undefined;
  readonly subject: string | undefined;
}) {
  const shell = useShell();
  const { leadsTo } = item;
  const isToday = new Date(item.at).toDateString() === new Date(shell.now()).toDateString();
  const address =
    leadsTo === null
      ? null
      : 'message' in leadsTo
        ? href(messageRoute(leadsTo.message))
        : 'send' in leadsTo
          ? href({ at: 'outbound', part: 'sends', id: leadsTo.send })
          : href(webhooksRoute(leadsTo.webhook, leadsTo.request));
  return (
    <li className={item.tone}>
      <time dateTime={new Date(item.at).toISOString()} title={saidMoment(item.at, shell.now())}>
        {isToday ? null : <span>{saidTime(item.at, shell.now())} </span>}
        {exact(item.at)}
      </time>
      <span className={`mark of-${item.kind}`}>
        <Icon name={ICONS[item.kind]} size={14} />
        <span className="sr">{KIND_NAMES[item.kind]}</span>
      </span>
      <div>
        {address === null ? <strong>{item.title}</strong> : <a href={address}>{item.title}</a>}
        {subject !== undefined && <span className="of-subject">: {subject}</span>}
        {event?.event && (
          <span className="of-event">
            {' '}
            <b>{harmlessLine(event.event, 80)}</b> {harmlessLine(event.about ?? '', 60)}
          </span>
        )}
        <span className="faint"> {item.detail}</span>
        {item.kind === 'refusal' && <RefusedSession at={item.at} reply={item.title} />}
      </div>
      <span className="faint place" title={harmlessLine(place, 200)}>
        {harmlessLine(place, 60)}
      </span>
    </li>
  );
}

function exact(at: number): string {
  const time = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
