/** The kind of error in a webhook to send or a recording to play. The API uses the same error codes. */
export type WebhookErrorCode = 'invalid_delivery' | 'invalid_recording';

/** The error for an invalid scheme, sample, field or recording. Its message never holds a secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(message: string, code: WebhookErrorCode = 'invalid_delivery', options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
