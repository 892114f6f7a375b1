import type { MessageContent } from '../app/api.ts';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { previewKind } from './attachment-kinds.ts';

type Attachment = MessageContent['attachments'][number];

/** The most calendars that are compared, and the most bytes of one. */
const MOST = 5;
const MOST_BYTES = 200_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the attachments, with an invitation once: mailers add it beside the text, for mail programs, and as a file.
 * Until both are read, the one without a file name is left out, so that the usual list does not change.
 */
export function useDistinct(messageId: string, attachments: readonly Attachment[]): readonly Attachment[] {
  const shell = useShell();
  const calendars = attachments
    .filter(({ contentType, filename }) => previewKind(contentType ?? '', filename ?? '') === 'calendar')
    .filter(({ sizeBytes }) => sizeBytes <= MOST_BYTES)
    .slice(0, MOST);
  const isCompared = calendars.length > 1;
  const key = isCompared ? calendars.map(({ id }) => id).join() : '';
  const { value, failure } = useLoaded(`calendars ${messageId} ${key}`, async () => {
    if (!isCompared) return NONE;
    const { repeatedCalendars, unfoldedLines } = await import('./calendar.ts');
    const read = calendars.map(async ({ id, filename }) => {
      const bytes = await shell.api.getAttachment(messageId, id);
      return { id, filename, text: new TextDecoder().decode(unfoldedLines(bytes)) };
    });
    return repeatedCalendars(await Promise.all(read));
  });
  if (!isCompared || failure !== null) return attachments;
  const isRepeated = ({ id, filename }: Attachment) => value?.has(id) ?? (filename === null && key.includes(id));
  return attachments.filter((attachment) => !isRepeated(attachment));
}
