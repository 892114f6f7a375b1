import type { RequestPreview } from '../app/api.ts';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';

/** The most requests whose events the server tells at once. */
const AT_ONCE = 100;

/** Returns the events that captured requests tell, by the ids of the requests. */
export function useEventNames(ids: readonly string[]): ReadonlyMap<string, RequestPreview> {
  const shell = useShell();
  const { value } = useLoaded(`events ${ids.join()}`, async () => {
    const parts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_none, at) =>
      ids.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
    );
    const told = await Promise.all(parts.map((some) => shell.api.getRequestPreviews({ ids: some })));
    return new Map(told.flat().map((one) => [one.id, one] as const));
  });
  return value ?? NONE;
}

const NONE: ReadonlyMap<string, RequestPreview> = new Map();
