import type { Route } from '../../model/route.ts';
import type { MessageContent, MessageFacts } from '../../shell/api.ts';

/** The address of two messages side by side. */
export type CompareRoute = Extract<Route, { at: 'compare' }>;

/** A message with everything that a comparison needs. */
export interface LoadedMail {
  readonly facts: MessageFacts;
  readonly content: MessageContent;
}
