import type { Context } from '../context.ts';
import { refuse } from '../domain/errors.ts';
import { plainText } from './compat/shared.ts';
import { type Anyone, type Endpoint, foreignRoute } from './route.ts';

// The paths that container engines and test libraries ask before they use a mail catcher: Mailpit's and MailDev's. They
// tell whether the server is ready and nothing else, so they need no key, whatever the APIs need.

const alive = foreignRoute('GET', '/livez', async () => plainText('ok'));

const ready = foreignRoute('GET', '/readyz', async ({ ctx }) => {
  checkReady(ctx);
  return plainText('ok');
});

const healthy = ['/healthz', '/api/healthz'].map((path) =>
  foreignRoute('GET', path, async ({ ctx }) => {
    checkReady(ctx);
    return true;
  }),
);

/** The probes. */
export const probes: readonly Endpoint<Anyone>[] = [alive, ready, ...healthy];

/** Throws a 503 unless SMTP listens and the store takes mail. */
export function checkReady({ runtime, store }: Context, about: Readonly<Record<string, unknown>> = {}): void {
  const { phase, isDraining } = runtime;
  if (phase === 'stopping' || isDraining) throw refuse('shutting_down', { status: 'stopping', ...about });
  // The phase is `up` once all listeners are.
  if (phase === 'starting') throw refuse('starting', { status: 'starting', ...about });
  const { health: status } = store;
  // A health problem is reported with the code that a write would get.
  if (status !== 'ok') throw refuse(status === 'disk_full' ? status : 'storage_unavailable', { status, ...about });
}
