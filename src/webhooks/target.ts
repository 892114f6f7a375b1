/** An HTTP URL in the parts that a request needs. */
export interface HttpTarget {
  /** The scheme, host and port. */
  readonly origin: string;
  /** The path and the query as sent. */
  readonly path: string;
}

/** Appends the sub-path and the query to `forwardUrl`, byte for byte. The parts of `forwardUrl` come first. */
export function targetFor(
  forwardUrl: string,
  { path, query }: { readonly path: string; readonly query: string | null },
): HttpTarget {
  const { origin, pathname, search } = new URL(forwardUrl);
  // A request to the capture URL itself has the path `/`, which adds nothing.
  const fullPath = path === '/' ? pathname : pathname.replace(/\/$/, '') + path;
  const own = search.slice(1);
  const fullQuery = query === null ? own : own === '' ? query : `${own}&${query}`;
  return { origin, path: query === null && own === '' ? fullPath : `${fullPath}?${fullQuery}` };
}
