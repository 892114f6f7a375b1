import type { Config } from './options.ts';

/** Returns a name of the store that is safe to show: it holds no user, password or parameter of a URL. */
export function storeName(store: Config['store']): string {
  switch (store.kind) {
    case 'memory':
      return 'memory:';
    case 'file':
      return `file:${store.directory}`;
    case 'postgres':
      return `postgres://${databaseName(store.url)}`;
  }
}

/** Returns host, port and database of a PostgreSQL URL. */
export function databaseName(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return `${host || 'localhost'}${port === '' ? '' : `:${port}`}${pathname}`;
}
