import type { Context } from '../context.ts';
import type { Exchange } from './exchange.ts';
import { meetFault } from './faults.ts';
import { respondError } from './respond.ts';

/**
 * Has `answer` answer a request, or the fault rule it meets; what either throws is answered as an error. `route` is what
 * the metrics call it. Never rejects.
 */
export async function serve(
  ctx: Context,
  exchange: Exchange,
  route: string,
  answer: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const { req, res } = exchange;
  try {
    if (!ctx.faults.has('http') || !(await meetFault(ctx, exchange))) await answer(exchange);
  } catch (error) {
    respondError(exchange, error, ctx.log);
  }
  if (res.headersSent) ctx.metrics.answered(req.method ?? '', route, res.statusCode);
}
