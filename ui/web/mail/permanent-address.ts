import { messageRoute, printRoute } from '../../model/route.ts';

/** Returns the permanent address of a message, or of a mail attached to it. */
export function permanentAddress(messageId: string, attached: string | null = null): string {
  return `${location.origin}/#${printRoute(messageRoute(messageId, attached))}`;
}
