import { Draw } from './draw.ts';
import {
  acceptSend,
  capture,
  clearMailbox,
  clearRequests,
  deliverCopy,
  expire,
  forward,
  markMessages,
  receiveMail,
  removeMessage,
} from './mail-steps.ts';
import {
  abandonBytes,
  changeMailboxes,
  changeProviderRecords,
  changeSmallRows,
  changeWebhooks,
  closeWorkspace,
  forgetAnswers,
  moveClock,
  openWorkspace,
  rememberAnswer,
  reset,
  throwInBody,
  trimEvents,
} from './other-steps.ts';
import type { Step } from './stage.ts';

/** Each step's function and its relative frequency. */
const STEPS = {
  receiveMail: { run: receiveMail, weight: 30 },
  acceptSend: { run: acceptSend, weight: 5 },
  deliverCopy: { run: deliverCopy, weight: 5 },
  removeMessage: { run: removeMessage, weight: 8 },
  markMessages: { run: markMessages, weight: 8 },
  clearMailbox: { run: clearMailbox, weight: 4 },
  expire: { run: expire, weight: 3 },
  capture: { run: capture, weight: 10 },
  forward: { run: forward, weight: 5 },
  clearRequests: { run: clearRequests, weight: 1 },
  openWorkspace: { run: openWorkspace, weight: 1 },
  closeWorkspace: { run: closeWorkspace, weight: 1 },
  reset: { run: reset, weight: 1 },
  changeMailboxes: { run: changeMailboxes, weight: 5 },
  changeWebhooks: { run: changeWebhooks, weight: 4 },
  changeSmallRows: { run: changeSmallRows, weight: 6 },
  changeProviderRecords: { run: changeProviderRecords, weight: 6 },
  rememberAnswer: { run: rememberAnswer, weight: 4 },
  forgetAnswers: { run: forgetAnswers, weight: 1 },
  trimEvents: { run: trimEvents, weight: 2 },
  moveClock: { run: moveClock, weight: 4 },
  throwInBody: { run: throwInBody, weight: 2 },
  abandonBytes: { run: abandonBytes, weight: 4 },
} as const satisfies Record<string, { run: Step; weight: number }>;

/** The relative frequency of operations on the whole store. */
const WHOLE = { reclaim: 10, reopen: 2, verify: 2 } as const;

export type StepName = keyof typeof STEPS | keyof typeof WHOLE;

/** A planned step with everything that is needed to repeat it. */
export interface PlannedStep {
  readonly name: StepName;
  readonly seed: number;
  /** True if the next step waits for this one. */
  readonly alone: boolean;
}

const BAG: readonly StepName[] = Object.entries({
  ...Object.fromEntries(Object.entries(STEPS).map(([name, { weight }]) => [name, weight])),
  ...WHOLE,
}).flatMap(([name, weight]) => Array<StepName>(weight).fill(name as StepName)); // these are the names of both tables

/** Draws a plan of steps from a seed. The first step creates a workspace to work on. */
export function planOf(seed: number, steps: number): PlannedStep[] {
  const draw = new Draw(seed);
  const together = draw.next();
  const first: PlannedStep = { name: 'openWorkspace', seed: draw.int(1 << 30), alone: true };
  const rest = Array.from({ length: steps - 1 }, () => ({
    name: draw.pick(BAG),
    seed: draw.int(1 << 30),
    alone: !draw.chance(together),
  }));
  return [first, ...rest];
}

/** Returns the function of a step, or null for an operation on the whole store. */
export function stepOf(name: StepName): Step | null {
  return name in STEPS ? STEPS[name as keyof typeof STEPS].run : null; // the condition guarantees the type
}
