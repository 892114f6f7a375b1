/**
 * Returns a function that calls `make` when it is first called, and shares the result. It calls `make` again after a
 * failure: npm may be replacing the files of the package at this moment, or a server may be starting.
 */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
