import type { RelayOutcome } from '../ports/relay.ts';

/** What nodemailer tells of a failure. */
export interface Failure extends Error {
  readonly code?: string;
  /** The reply as it came. */
  readonly response?: string;
  readonly responseCode?: number;
  readonly recipient?: string;
  readonly rejectedErrors?: readonly Failure[];
}

type Outcomes = Map<string, RelayOutcome>;

/** The outcomes of a transaction that the relay answered 2xx at its end. */
export function outcomesOfSuccess(
  recipients: readonly string[],
  reply: string,
  rejected: readonly Failure[],
): ReadonlyMap<string, RelayOutcome> {
  const outcomes: Outcomes = new Map(recipients.map((address) => [address, { kind: 'accepted', reply }]));
  return withRejected(outcomes, rejected);
}

/** The outcomes of a transaction that failed; `ended`: the relay may have had the whole message. */
export function outcomesOfFailure(
  recipients: readonly string[],
  failure: Failure,
  rejected: readonly Failure[],
  ended: boolean,
): ReadonlyMap<string, RelayOutcome> {
  const outcome = outcomeOf(failure, ended);
  return withRejected(new Map(recipients.map((address) => [address, outcome])), rejected);
}

/** A recipient refused by name had its answer, whatever became of the others. */
function withRejected(outcomes: Outcomes, rejected: readonly Failure[]): Outcomes {
  for (const failure of rejected) {
    if (failure.recipient !== undefined) outcomes.set(failure.recipient, outcomeOf(failure, false));
  }
  return outcomes;
}

function outcomeOf(failure: Failure, ended: boolean): RelayOutcome {
  const { code, response, responseCode = 0 } = failure;
  const reply = (response ?? failure.message).replace(/\s*\r?\n\s*/g, ' ').trim();
  // Other codes are of the connection: a greeting, a sign-in or TLS that failed says nothing of the recipient.
  const ofMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (ofMessage && responseCode >= 500) return { kind: 'refused', reply };
  if (ofMessage && responseCode >= 400) return { kind: 'deferred', reply };
  if (ofMessage && response === undefined && !ended) return { kind: 'impossible', reply };
  return ended ? { kind: 'unknown', reply } : { kind: 'deferred', reply };
}
