import type { JsonSchema } from './components.ts';
import type { OpenApiHeader } from './shape.ts';

const text: JsonSchema = { type: 'string' };
const whole: JsonSchema = { type: 'integer', format: 'int32' };

/** The descriptions of all answer headers. */
export const HEADERS = {
  'X-Request-Id': { description: 'The id of this request, as in the log', required: true, schema: text },
  'RateLimit-Limit': {
    description: 'Requests that the window allows; absent with limits off',
    required: false,
    schema: whole,
  },
  'RateLimit-Remaining': { description: 'Requests left in the window', required: false, schema: whole },
  'RateLimit-Reset': { description: 'Seconds until the next window', required: false, schema: whole },
  'RateLimit-Policy': { description: 'The windows of the key and of the workspace', required: false, schema: text },
  'Retry-After': { description: 'Seconds to wait', required: false, schema: whole },
  'WWW-Authenticate': { description: 'Bearer', required: true, schema: text },
  'Idempotency-Replayed': {
    description: 'true: this is the stored answer to an earlier request',
    required: false,
    schema: text,
  },
} as const satisfies Record<string, OpenApiHeader>;

/** Returns the headers of one answer. */
export function answerHeaders(method: string, status: number, isCloud: boolean): (keyof typeof HEADERS)[] {
  const any = ['X-Request-Id'] as const;
  if (status === 401) return [...any, 'WWW-Authenticate'];
  // The server may fail before it counts the request, so there are no rate limit headers.
  if (status >= 500) return status === 503 ? [...any, 'Retry-After'] : [...any];
  if (!isCloud) return [...any];
  const limits = [...any, 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'] as const;
  if (status === 429) return [...limits, 'Retry-After'];
  return method === 'POST' ? [...limits, 'Idempotency-Replayed'] : [...limits];
}

/** The reason phrases of the statuses. */
export const REASONS: Readonly<Record<number, string>> = {
  101: 'Switching protocols',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  400: 'Bad request',
  401: 'Unauthorized',
  402: 'Payment required',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  426: 'Upgrade required',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
};
