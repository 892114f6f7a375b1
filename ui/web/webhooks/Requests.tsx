import { useEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidExactTime, saidMoment, saidSize, saidTime } from '../../../src/text/said.ts';
import type { RequestPreview, WebhookFacts } from '../app/api.ts';
import type { WebhookRoute } from '../app/route.ts';
import { Button, Empty } from '../parts/controls.tsx';
import { TableHead } from '../parts/TableHead.tsx';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useCommands, useLoaded } from '../use-loaded.ts';
import { useMedia, useShell, WIDE } from '../use-shell.ts';
import { bareTypeOf } from './request-body.ts';
import { useEventNames } from './use-event-names.ts';

const PAGE = 100;

/** Lists the captured requests of a webhook, newest first. */
export function RequestList({ webhook, route }: { readonly webhook: WebhookFacts; readonly route: WebhookRoute }) {
  const shell = useShell();
  const [pages, setPages] = useState(1);
  const list = useRef<HTMLDivElement>(null);
  const { value, failure, slow, reload } = useLoaded(
    `requests ${webhook.id} ${pages}`,
    async () => {
      const loaded = await Promise.all(
        Array.from({ length: pages }, (_none, page) =>
          shell.api.listRequestsOf(webhook.id, { page: page + 1, pageSize: PAGE }),
        ),
      );
      return { items: loaded.flatMap(({ items }) => items), total: loaded[0]?.total ?? 0 };
    },
    ({ type, data }) => type.startsWith('webhook.') && data['webhookId'] === webhook.id,
  );
  useEffect(() => {
    addEventListener('mailcap-requests', reload);
    return () => removeEventListener('mailcap-requests', reload);
  }, [reload]);
  const items = value?.items ?? [];
  const events = useEventNames(items.map(({ id }) => id));
  const isTable = useMedia(WIDE) && route.requestId === null && route.form === null;
  const open = (id: string | undefined, replace = false) => {
    if (id !== undefined) shell.go({ ...route, requestId: id }, { replace });
  };
  useCommands((command) => {
    const at = items.findIndex(({ id }) => id === route.requestId);
    if (command === 'next' || command === 'find-next')
      open(items[at < 0 ? 0 : Math.min(items.length - 1, at + 1)]?.id, at >= 0);
    if (command === 'previous' || command === 'find-previous') open(items[Math.max(0, at - 1)]?.id, at >= 0);
    if (command === 'first') open(items[0]?.id, true);
    if (command === 'last') open(items.at(-1)?.id, true);
    if (command === 'open' && route.requestId === null) open(items[0]?.id);
  });
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  if (items.length === 0)
    return (
      <Empty icon="webhook" title="Nothing captured yet">
        <p>Requests to the address above, or to any path below it, appear here at once.</p>
      </Empty>
    );
  return (
    <>
      {isTable && <TableHead names={['Request', 'Event', 'Answered', 'Received']} className="of-requests" />}
      <div
        ref={list}
        className={`rows requests ${isTable ? 'table' : ''}`}
        role="listbox"
        aria-label="Requests, newest first"
        tabIndex={0}
        data-place="requests"
        aria-activedescendant={route.requestId === null ? undefined : `request-${route.requestId}`}
      >
        {items.map((item) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
          <div
            key={item.id}
            id={`request-${item.id}`}
            className={`row request ${item.id === route.requestId ? 'open' : ''}`}
            role="option"
            tabIndex={-1}
            aria-selected={item.id === route.requestId}
            onClick={() => open(item.id)}
          >
            <span className="from">
              <b className="method">{harmlessLine(item.method, 12)}</b>{' '}
              <span className="who">{harmlessLine(item.path, 160)}</span>
            </span>
            <time dateTime={item.receivedAt} title={saidMoment(Date.parse(item.receivedAt), shell.now())}>
              {isTable
                ? saidExactTime(Date.parse(item.receivedAt), shell.now())
                : saidTime(Date.parse(item.receivedAt), shell.now())}
            </time>
            <What event={events.get(item.id) ?? null}>
              {[harmlessLine(bareTypeOf(item.contentType) ?? 'no body', 60), saidSize(item.sizeBytes)].join(' · ')}
            </What>
            <span className="marks">
              {item.forwardStatus > 0 && (
                <span className={`forward f${item.forwardStatus}`}>
                  {['', 'forwarding', `→ ${item.forwardHttpStatus ?? 'ok'}`, 'forward failed'][item.forwardStatus]}
                </span>
              )}
              <span>{item.responseStatus === 0 ? 'dropped' : item.responseStatus}</span>
            </span>
          </div>
        ))}
        {items.length < value.total && (
          <p className="cut-off">
            <Button onClick={() => setPages(pages + 1)}>{value.total - items.length} more</Button>
          </p>
        )}
      </div>
    </>
  );
}

/** The event that a request tells and the thing that it concerns, and then its kind and size. */
function What({ event, children }: { readonly event: RequestPreview | null; readonly children: string }) {
  return (
    <span className="what">
      {event?.event && <b className="event">{harmlessLine(event.event, 80)}</b>}{' '}
      {event?.about && <span className="about-event">{harmlessLine(event.about, 80)}</span>}{' '}
      <span className="kind-and-size">{children}</span>
    </span>
  );
}
