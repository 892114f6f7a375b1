import { harmlessLine } from '../../../src/text/harmless.ts';
import { nameOfMessage } from '../../../src/text/wording.ts';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';

type Named = Parameters<typeof nameOfMessage>[0] & { readonly id: string };

/** The most text messages that are asked for their words. */
const MOST = 60;

/** Returns what names a message: its subject, or the first words of a text message, which come a moment later. */
export function useNames(messages: readonly Named[]): (message: Named, longest: number) => string {
  const shell = useShell();
  const ids = messages.flatMap(({ id, kind }) => (kind === 'sms' ? [id] : [])).slice(0, MOST);
  const { value } = useLoaded(`words of ${ids.join()}`, async () =>
    ids.length === 0 ? [] : await shell.api.getMessagePreviews({ ids }),
  );
  const words = new Map(value?.map(({ id, snippet }) => [id, snippet]));
  return (message, longest) => harmlessLine(words.get(message.id) ?? '', longest) || nameOfMessage(message, longest);
}
