/** What the model asks its shell to do. The answer comes back as an input. */
export type Effect =
  | { readonly do: 'load-mailboxes' }
  /** Messages of a mailbox older than `before`, newest first; only those that contain `query` where it is not ''. */
  | { readonly do: 'load-messages'; readonly mailboxId: string; readonly before: string | null; readonly query: string }
  | { readonly do: 'load-mail'; readonly id: string }
  /** The same for a look beside the list: it may wait until the reader stops moving. */
  | { readonly do: 'load-preview'; readonly id: string }
  /** The codes in messages, as far as the server tells them. */
  | { readonly do: 'load-codes'; readonly ids: readonly string[] }
  | { readonly do: 'load-source'; readonly id: string }
  /** `what`: what the message is called where it is told. */
  | { readonly do: 'delete-message'; readonly id: string; readonly what: string }
  | { readonly do: 'save-attachment'; readonly messageId: string; readonly attachmentId: string; readonly name: string }
  | { readonly do: 'copy'; readonly text: string; readonly what: string }
  | { readonly do: 'browse'; readonly url: string | null; readonly messageId: string | null }
  | { readonly do: 'load-webhooks' }
  | { readonly do: 'load-requests'; readonly webhookId: string; readonly page: number }
  | { readonly do: 'load-request'; readonly id: string }
  | { readonly do: 'replay'; readonly id: string }
  | { readonly do: 'load-authenticators' }
  | { readonly do: 'load-code'; readonly id: string }
  | { readonly do: 'quit' };
