import type { MessageContent, MessageFacts } from '../../shell/api.ts';

/** A message with everything that a comparison needs. */
export interface LoadedMail {
  readonly facts: MessageFacts;
  readonly content: MessageContent;
}
