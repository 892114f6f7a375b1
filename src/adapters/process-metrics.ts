import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Instruments } from './instruments.ts';

const RESOLUTION_MS = 20;

/**
 * Adds the process metrics under their standard Prometheus names. prom-client's own version can't be stopped, so it
 * would keep running after the server is closed. The returned function stops the measurement.
 */
export function watchProcess({ level, total }: Instruments): () => void {
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
