/** The kind of error in what is to be sent or played. The API uses the same error codes. */
export type WebhookErrorCode = 'invalid_delivery' | 'invalid_recording';

/** The error for a scheme, a sample, a field or a recording that is wrong. Its message never carries a secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(message: string, code: WebhookErrorCode = 'invalid_delivery', options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
