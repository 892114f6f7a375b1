import { pause } from '../environment.ts';
import { openBackend, type TerminalBackend } from './backend.ts';
import type { KeptInbox } from './catch-up.ts';
import { catchUpMail, catchUpWebhooks } from './catch-up.ts';
import { listenToFeed } from './feed.ts';
import { inputOf } from './feed-event.ts';
import { firstSentence } from './run-effect.ts';
import { watchCloud } from './watch-cloud.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Keeps the inbox in step with the server until the signal aborts. It also reports lost and restored connections. */
export async function keepUp(kept: KeptInbox): Promise<void> {
  let { backend } = kept;
  let lastEventId: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  const wellAgain = () => {
    pauseMs = FIRST_PAUSE_MS;
    kept.give({ is: 'connected' });
  };
  for (let first = true; !kept.signal.aborted; first = false) {
    let reason: string;
    try {
      if (!first) {
        const found = await openBackend(kept.connect());
        const isOther = found.workspaceId !== backend.workspaceId;
        if (isOther) lastEventId = null;
        backend = found;
        kept.moved(backend);
        kept.give({ is: 'server', server: { url: backend.server.url, local: backend.local } });
        if (isOther) kept.give({ is: 'reset', because: 'another server answers, or the server was restarted' });
      }
      reason = backend.local
        ? await listenToFeed(
            backend.server,
            lastEventId,
            {
              opened: () => {
                wellAgain();
                // Loads what arrived between the first page and the feed's start. A later connection resumes by event
                // id and needs no such step.
                if (lastEventId === null) void catchUp(kept, backend);
              },
              told: (event) => {
                lastEventId = event.id;
                const input = inputOf(event, backend.workspaceId);
                if (input !== null) kept.later(input);
              },
            },
            kept.signal,
          )
        : await watchCloud(kept, backend, wellAgain);
    } catch (error) {
      reason = firstSentence(error);
    }
    if (kept.signal.aborted) return;
    kept.give({ is: 'disconnected', reason });
    await pause(pauseMs, kept.signal);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

async function catchUp(kept: KeptInbox, backend: TerminalBackend): Promise<void> {
  try {
    await catchUpMail(kept, backend);
    await catchUpWebhooks(kept, backend);
  } catch {
    // Each list shows its own loading error.
  }
}
