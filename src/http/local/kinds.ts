import { MESSAGE_KINDS, type MessageKind } from '../../domain/message.ts';
import type { Param } from '../route.ts';

// The kinds of messages in requests of the local API.

/** The parameter `kind`. */
export const KIND_PARAM: Param<MessageKind | 'any'> = {
  kind: 'text',
  parse: (given) => [...MESSAGE_KINDS, 'any' as const].find((kind) => kind === given) ?? null,
  fallback: 'email',
  code: 'invalid_kind',
  texts: [...MESSAGE_KINDS, 'any'],
  about: 'email, sms or any; default: email',
};

/** Returns the kind to look for; undefined for any. */
export function kindMeant(kind: MessageKind | 'any'): MessageKind | undefined {
  return kind === 'any' ? undefined : kind;
}
