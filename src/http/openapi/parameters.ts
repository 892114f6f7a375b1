import type { Param, QuerySpec } from '../query.ts';
import type { JsonSchema } from './components.ts';
import type { Parameter } from './shape.ts';

/** Returns the query parameters of a route. */
export function queryParameters(spec: QuerySpec<unknown>): Parameter[] {
  return Object.entries<Param<unknown>>(spec).map(([name, param]) => ({
    name,
    in: 'query',
    required: false,
    description: [param.about, param.kind === 'whole' ? 'outside the range it is clamped' : undefined]
      .filter((said) => said !== undefined)
      .join('; '),
    schema: schemaOf(param),
  }));
}

function schemaOf({ kind, min, max, fallback }: Param<unknown>): JsonSchema {
  switch (kind) {
    case 'whole':
      return {
        type: 'integer',
        format: 'int32',
        minimum: min,
        ...(max !== undefined && max < 2 ** 31 && { maximum: max }),
        default: fallback,
      };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'ulid':
    case 'text':
      return { type: 'string' };
  }
}
