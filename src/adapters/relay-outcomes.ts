import type { RelayOutcome } from '../ports/relay.ts';

/** The error of nodemailer. */
export interface Failure extends Error {
  readonly code?: string;
  /** The relay's reply, unchanged. */
  readonly response?: string;
  readonly responseCode?: number;
  readonly recipient?: string;
  readonly rejectedErrors?: readonly Failure[];
}

type Outcomes = Map<string, RelayOutcome>;

/** Returns the outcomes of a transaction that the relay accepted with 2xx. */
export function outcomesOfSuccess(
  recipients: readonly string[],
  reply: string,
  rejected: readonly Failure[],
): ReadonlyMap<string, RelayOutcome> {
  const outcomes: Outcomes = new Map(recipients.map((address) => [address, { kind: 'accepted', reply }]));
  return withRejected(outcomes, rejected);
}

/** Returns the outcomes of a failed transaction. `ended` means that the relay may have the whole message. */
export function outcomesOfFailure(
  recipients: readonly string[],
  failure: Failure,
  rejected: readonly Failure[],
  ended: boolean,
): ReadonlyMap<string, RelayOutcome> {
  const outcome = outcomeOf(failure, ended);
  return withRejected(new Map(recipients.map((address) => [address, outcome])), rejected);
}

/**
 * Adds the recipients that the relay refused individually. Their outcome does not depend on the outcome of the others.
 */
function withRejected(outcomes: Outcomes, rejected: readonly Failure[]): Outcomes {
  for (const failure of rejected) {
    if (failure.recipient !== undefined) outcomes.set(failure.recipient, outcomeOf(failure, false));
  }
  return outcomes;
}

function outcomeOf(failure: Failure, ended: boolean): RelayOutcome {
  const { code, response, responseCode = 0 } = failure;
  const reply = (response ?? failure.message).replace(/\s+/g, (run) => (run.includes('\n') ? ' ' : run)).trim();
  // All other codes concern the connection, such as a failed greeting, sign-in or TLS handshake. They say nothing about
  // a recipient.
  const ofMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (ofMessage && responseCode >= 500) return { kind: 'refused', reply };
  if (ofMessage && responseCode >= 400) return { kind: 'deferred', reply };
  if (ofMessage && response === undefined && !ended) return { kind: 'impossible', reply };
  return ended ? { kind: 'unknown', reply } : { kind: 'deferred', reply };
}
