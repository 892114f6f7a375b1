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
  // A request to the webhook URL itself has the path `/`, which adds nothing.
  const fullPath = path === '/' ? pathname : pathname.replace(/\/$/, '') + path;
  const own = search.slice(1);
  const fullQuery = query === null ? own : own === '' ? query : `${own}&${query}`;
  return { origin, path: query === null && own === '' ? fullPath : `${fullPath}?${fullQuery}` };
}

// This module converts the answer of an HTTP client to the form that deliveries and forwards store.

/** Returns headers by their lower-case names, with repeated ones joined (RFC 9110 section 5.3). */
export function joinedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

/** Reads at most `mostBytes` of a body, then closes it. Of a body that breaks off, it returns the bytes that came. */
export async function beginningOf(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, mostBytes - size));
      size += chunk.length;
      // Leaving the loop ends the answer and closes its connection.
      if (size >= mostBytes) break;
    }
  } catch {
    // The status is known, so the answer counts. A body that breaks off or is too slow is kept as far as it came.
  }
  const beginning = new Uint8Array(Math.min(size, mostBytes));
  let at = 0;
  for (const chunk of chunks) {
    beginning.set(chunk, at);
    at += chunk.length;
  }
  return beginning;
}
