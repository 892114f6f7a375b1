import { z } from 'zod';

/**
 * Returns the schema of a JSON object whose keys may be written in any case: Mailpit is written in Go, which reads `ids`
 * as `IDs`, and clients rely on it. `schema` names its keys in lower case. As in Go, the last one counts where two differ
 * only in their case.
 */
export function anyCase<Schema extends z.ZodObject>(schema: Schema) {
  return z.preprocess((given) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [key.toLowerCase(), value]));
  }, schema);
}
