import type { Levels, Metrics } from '../ports/metrics.ts';
import { STORE_HEALTHS } from '../ports/store.ts';
import { type Instruments, instrumentsOf } from './instruments.ts';
import { LabelledCounter } from './labelled-counter.ts';
import { watchProcess } from './process-metrics.ts';

/** The methods that get a series of their own. A client that invents methods must not create a series for each. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Creates the metrics with a separate registry, so that two servers in one process do not add up. `server` is the
 * number of this server if several servers share the store.
 */
export function createMetrics(version: string, server: number | null = null): Metrics {
  const answered = new LabelledCounter(['method', 'route', 'status']);
  const refused = new LabelledCounter(['at', 'reason']);
  let taken = 0;
  const captures = { trimmed: 0, refused: 0 };
  let levels: Levels | null = null;
  let opened: Promise<Scraped> | null = null;
  let closed = false;

  // prom-client is loaded with the first scrape, which keeps the start of an unmonitored server fast.
  const open = async (): Promise<Scraped> => {
    const prometheus = await import('prom-client');
    const registry = new prometheus.Registry();
    const instruments = instrumentsOf(prometheus, registry);
    instruments.info('mailcap_build_info', '1, with the version', {
      version,
      ...(server === null ? {} : { server: String(server) }),
    });
    instruments.totals('mailcap_http_requests_total', 'Requests that this server answered', answered);
    instruments.total('mailcap_smtp_messages_accepted_total', 'Mails that got their 250 from this server', () => taken);
    instruments.totals(
      'mailcap_smtp_refused_total',
      'Connections, commands, recipients and mails that this server refused',
      refused,
    );
    instruments.total(
      'mailcap_captures_trimmed_total',
      'Captured requests that this server removed because of a quota',
      () => captures.trimmed,
    );
    instruments.total(
      'mailcap_captures_refused_total',
      'Captured requests that this server refused because of a quota',
      () => captures.refused,
    );
    addLevels(instruments, () => levels);
    return { text: () => registry.metrics(), stop: closed ? () => {} : watchProcess(instruments) };
  };

  return {
    answered: (method, route, status) =>
      answered.increment(METHODS.has(method) ? method : 'other', route, String(status)),
    mailTaken: () => {
      taken += 1;
    },
    mailRefused: (at, reason) => refused.increment(at, reason),
    capturesTrimmed: (count) => {
      captures.trimmed += count;
    },
    captureRefused: () => {
      captures.refused += 1;
    },
    captures,
    write: async (now) => {
      opened ??= open();
      const { text } = await opened;
      levels = now;
      return text();
    },
    close: async () => {
      closed = true;
      (await opened?.catch(() => null))?.stop();
    },
  };
}

interface Scraped {
  text(): Promise<string>;
  stop(): void;
}

function addLevels({ level, states }: Instruments, now: () => Levels | null): void {
  level('mailcap_workspaces', 'Workspaces, of all servers', () => now()?.workspaces ?? 0);
  level('mailcap_mailboxes', 'Mailboxes, of all servers', () => now()?.mailboxes ?? 0);
  level('mailcap_messages', 'Messages stored, of all servers', () => now()?.messages ?? 0);
  level('mailcap_stored_bytes', 'Bytes of mail stored, of all servers', () => now()?.storedBytes ?? 0);
  level(
    'mailcap_captured_bytes',
    'Bytes that captured requests count against their quota, of all servers',
    () => now()?.capturedBytes ?? 0,
  );
  level('mailcap_waiters', 'Awaits that this server holds', () => now()?.waiters ?? 0);
  level('mailcap_feed_subscribers', 'Subscribers of the feed on this server', () => now()?.subscribers ?? 0);
  level('mailcap_storage_ok', '1 where what comes to this server can be stored, else 0', () =>
    now()?.storage === 'ok' ? 1 : 0,
  );
  states('mailcap_storage_health', 'How storing goes on this server', STORE_HEALTHS, () => now()?.storage ?? null);
}
