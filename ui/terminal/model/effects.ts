import type { AttachmentItem, MailMarks } from './resources.ts';

/** The side effects that the model requests. The shell performs each one and sends the result back as an input. */
export type InboxEffect =
  | { readonly do: 'load-mailboxes' }
  /** Loads messages of a mailbox that are older than `before`, newest first. A `query` that is not '' filters them. */
  | { readonly do: 'load-messages'; readonly mailboxId: string; readonly before: string | null; readonly query: string }
  | { readonly do: 'load-mail'; readonly id: string }
  /** Loads a mail for the preview beside the list. The shell may delay it until the reader stops moving. */
  | { readonly do: 'load-preview'; readonly id: string }
  /** Loads the codes of messages and the beginnings of their texts, if the server extracts them. */
  | { readonly do: 'load-row-details'; readonly ids: readonly string[] }
  /** Loads a mail that is attached to a message. Its id is that of the attachment. */
  | { readonly do: 'load-attached'; readonly messageId: string; readonly attachment: AttachmentItem }
  /** Loads the source of a message, or of a mail that is attached to it. */
  | { readonly do: 'load-source'; readonly id: string; readonly messageId: string }
  /** Waits until the deletion of a message can no longer be undone. */
  | { readonly do: 'await-undo'; readonly id: string }
  | { readonly do: 'delete-message'; readonly id: string }
  /** Marks a message as read on the server, because the reader opened it. */
  | { readonly do: 'mark-read'; readonly id: string }
  /** Changes marks of a message on the server. `before` are its marks if the server refuses that. */
  | {
      readonly do: 'mark';
      readonly id: string;
      readonly change: Partial<MailMarks>;
      readonly before: MailMarks;
    }
  | { readonly do: 'save-attachment'; readonly messageId: string; readonly attachmentId: string; readonly name: string }
  | { readonly do: 'copy'; readonly text: string; readonly what: string }
  /** Opens a link, or the page of a message or of a mail that is attached to it. */
  | {
      readonly do: 'browse';
      readonly url: string | null;
      readonly messageId: string | null;
      readonly attachedId: string | null;
    }
  | { readonly do: 'load-webhooks' }
  | { readonly do: 'load-requests'; readonly webhookId: string; readonly page: number }
  | { readonly do: 'load-request'; readonly id: string }
  | { readonly do: 'replay'; readonly id: string }
  | { readonly do: 'load-authenticators' }
  | { readonly do: 'load-code'; readonly id: string }
  | { readonly do: 'quit' };
