import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { STORE_HEALTHS } from '../ports/store.ts';
import type { Levels, Metrics } from '../ports/system.ts';

/** The methods that get a series of their own. A client that invents methods must not create a series for each. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Creates the metrics with a separate registry, so that two servers in one process do not add up. `server` is the
 * number of this server if several servers share the store.
 */
export function createMetrics(version: string, server: number | null = null): Metrics {
  const answered = new LabelledCounter(['method', 'route', 'status']);
  const refused = new LabelledCounter(['at', 'reason']);
  const startedAt = Date.now();
  const signIns = new LabelledCounter(['protocol', 'result']);
  let taken = 0;
  let takenBytes = 0;
  let refusals = 0;
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
    instruments.totals('mailcap_mailbox_sign_ins_total', 'Sign-ins over POP3 and IMAP on this server', signIns);
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
    mailTaken: (sizeBytes) => {
      taken += 1;
      takenBytes += sizeBytes;
    },
    mailRefused: (at, reason) => {
      refusals += 1;
      refused.increment(at, reason);
    },
    totals: () => ({
      startedAt,
      uptimeSeconds: Math.floor((Date.now() - startedAt) / 1_000),
      memoryBytes: process.memoryUsage.rss(),
      mails: taken,
      mailBytes: takenBytes,
      refusals,
    }),
    signedIn: (protocol, isAccepted) => signIns.increment(protocol, isAccepted ? 'accepted' : 'refused'),
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

interface Instruments {
  level(name: string, help: string, value: () => number): void;
  total(name: string, help: string, value: () => number): void;
  totals(name: string, help: string, counts: Pick<LabelledCounter, 'labelNames' | 'entries'>): void;
  /** A gauge per state: 1 for the current state, 0 for the others. */
  states<State extends string>(name: string, help: string, states: readonly State[], now: () => State | null): void;
  /** A constant gauge of 1 whose labels carry the information. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void;
}

/** Creates instruments of prom-client. Each reads its value when the registry is scraped. */
function instrumentsOf({ Counter, Gauge }: typeof import('prom-client'), registry: Registry): Instruments {
  const registers = [registry];
  const totals: Instruments['totals'] = (name, help, counts) => {
    const collect = (): void => {
      counter.reset();
      for (const [labels, count] of counts.entries()) counter.inc(labels, count);
    };
    const counter = new Counter({ name, help, labelNames: counts.labelNames, registers, collect });
  };
  return {
    level: (name, help, value) => {
      const collect = (): void => gauge.set(value());
      const gauge = new Gauge({ name, help, registers, collect });
    },
    total: (name, help, value) => totals(name, help, { labelNames: [], entries: () => [[{}, value()]] }),
    totals,
    states: (name, help, states, now) => {
      const collect = (): void => {
        const current = now();
        for (const state of states) gauge.set({ state }, state === current ? 1 : 0);
      };
      const gauge = new Gauge({ name, help, labelNames: ['state'], registers, collect });
    },
    info: (name, help, labels) => {
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set({ ...labels }, 1);
    },
  };
}

/** A counter that keeps one count for each combination of label values, as a Prometheus counter does. */
class LabelledCounter {
  readonly labelNames: string[];
  readonly #counts = new Map<string, number>();

  constructor(labelNames: readonly string[]) {
    this.labelNames = [...labelNames];
  }

  /** Adds 1. It takes one value for each label, in the order of `labelNames`; no value may hold a tab. */
  increment(...values: readonly string[]): void {
    const key = values.join('\t');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Yields each combination of labels that was counted, with its count. */
  *entries(): Iterable<[Record<string, string>, number]> {
    for (const [key, count] of this.#counts) {
      const values = key.split('\t');
      yield [Object.fromEntries(this.labelNames.map((name, at) => [name, values[at] ?? ''])), count];
    }
  }
}

const RESOLUTION_MS = 20;

/**
 * Adds the process metrics under their standard Prometheus names. prom-client's own version can't be stopped, so it
 * would keep running after the server is closed. The returned function stops the measurement.
 */
function watchProcess({ level, total }: Instruments): () => void {
  total('process_cpu_user_seconds_total', 'User CPU time', () => process.cpuUsage().user / 1e6);
  total('process_cpu_system_seconds_total', 'System CPU time', () => process.cpuUsage().system / 1e6);
  level('process_start_time_seconds', 'Start, since 1970', () => Date.now() / 1_000 - process.uptime());
  level('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
  level('nodejs_heap_size_total_bytes', 'Heap', () => process.memoryUsage().heapTotal);
  level('nodejs_heap_size_used_bytes', 'Heap in use', () => process.memoryUsage().heapUsed);
  level('nodejs_external_memory_bytes', 'Memory outside the heap', () => process.memoryUsage().external);

  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lag.enable();
  // The delay since the previous scrape. Without samples it is 0.
  const seconds = (nanoseconds: number) => (lag.count === 0 ? 0 : nanoseconds / 1e9);
  level('nodejs_eventloop_lag_mean_seconds', 'Event loop delay, mean', () => seconds(lag.mean));
  level('nodejs_eventloop_lag_p50_seconds', 'Event loop delay, median', () => seconds(lag.percentile(50)));
  level('nodejs_eventloop_lag_p99_seconds', 'Event loop delay, 99th percentile', () => seconds(lag.percentile(99)));
  level('nodejs_eventloop_lag_max_seconds', 'Event loop delay, most', () => {
    const most = seconds(lag.max);
    lag.reset();
    return most;
  });
  return () => lag.disable();
}
