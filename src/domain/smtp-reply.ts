/** Whether a text is what an SMTP server answered, as against what is said of a connection. */
export function isReply(text: string): boolean {
  return /^[2-5]\d{2}(?:[ -]|$)/.test(text);
}

/** The enhanced status code of an SMTP reply (RFC 3463); where it has none of its class (RFC 2034 4) the class alone, null where it is no reply. */
export function enhancedStatusOf(reply: string): string | null {
  const [, , written] = /^([245])\d{2}[ -](\1\.\d{1,3}\.\d{1,3})(?:\s|$)/.exec(reply) ?? [];
  return written ?? (isReply(reply) ? `${reply.charAt(0)}.0.0` : null);
}
