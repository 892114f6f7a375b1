import { onScreen } from '../../model/message-list.ts';
import type { InboxEffect } from './effects.ts';
import { type FoundCodes, listOf, type MailState, selectedRow } from './mail.ts';

// The data that a list shows without opening a message: its codes, and a preview of the selected one.

/** The largest number of messages in one request for codes. */
const MAX_ASKED = 24;

/** Requests the codes and the preview that the list lacks, unless a request is already pending. */
export function requestMissing(mail: MailState): [MailState, InboxEffect[]] {
  const [asked, forCodes] = codesWanted(mail);
  const [shown, forPreview] = previewWanted(asked);
  return [shown, [...forCodes, ...forPreview]];
}

function codesWanted(mail: MailState): [MailState, InboxEffect[]] {
  if (mail.asking !== 'no') return [mail, []];
  const unknown = onScreen(listOf(mail)).filter(({ id }) => !mail.codes.has(id));
  if (unknown.length === 0) return [mail, []];
  return [{ ...mail, asking: 'yes' }, [{ do: 'load-codes', ids: unknown.slice(0, MAX_ASKED).map(({ id }) => id) }]];
}

function previewWanted(mail: MailState): [MailState, InboxEffect[]] {
  if (!mail.besides || mail.open !== null) return [mail, []];
  const id = selectedRow(mail)?.id ?? null;
  if (id === (mail.preview?.id ?? null)) return [mail, []];
  if (id === null) return [{ ...mail, preview: null }, []];
  return [{ ...mail, preview: { id, mail: null, failure: null } }, [{ do: 'load-preview', id }]];
}

/** Stores the codes that a request returned. */
export function codesFound(mail: MailState, found: readonly (readonly [id: string, codes: FoundCodes])[]): MailState {
  return { ...mail, asking: 'no', codes: new Map([...mail.codes, ...found]) };
}
