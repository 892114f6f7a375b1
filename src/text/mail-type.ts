const MAIL: ReadonlySet<string> = new Set(['message/rfc822', 'message/global']);

/** Tells whether a part of this media type, in lower case and without parameters, is a whole mail. */
export function holdsMail(type: string): boolean {
  return MAIL.has(type);
}

/** The names of files that have none, by their types. */
const NAMELESS: ReadonlyMap<string, string> = new Map([
  ['message/rfc822', 'Attached mail'],
  ['message/global', 'Attached mail'],
  ['message/delivery-status', 'Delivery report'],
  ['message/disposition-notification', 'Read receipt'],
  ['message/feedback-report', 'Complaint report'],
  ['text/rfc822-headers', 'Headers of a mail'],
  ['text/calendar', 'Invitation'],
]);

/** Returns what to call a file without a name. */
export function namelessAs(contentType: string): string {
  return NAMELESS.get(contentType.toLowerCase()) ?? 'unnamed';
}
