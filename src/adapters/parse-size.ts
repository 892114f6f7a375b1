import type { Parse } from '../mail/parse.ts';

const OBJECT_BYTES = 1_000;

/** Estimates the memory of a parse in bytes: two per character, a share for objects, and the attachments. */
export function parseBytes({ mail, contents }: Parse): number {
  let characters = (mail.textBody?.length ?? 0) + (mail.htmlBody?.length ?? 0);
  let objects = 1 + mail.attachments.length;
  for (const texts of Object.values(mail.headers)) {
    for (const text of typeof texts === 'string' ? [texts] : texts) characters += text.length;
    objects += 0.2;
  }
  return 2 * characters + objects * OBJECT_BYTES + contents.reduce((sum, content) => sum + content.length, 0);
}
