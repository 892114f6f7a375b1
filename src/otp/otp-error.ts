/** The kind of error in a secret, a parameter or a URI. The API uses the same error codes. */
export type OtpErrorCode = 'invalid_secret' | 'invalid_uri' | 'invalid_algorithm' | 'invalid_digits' | 'invalid_period';

/** The error for an unreadable secret, parameter or URI. It never carries the input, which would reveal the secret. */
export class OtpError extends Error {
  override readonly name = 'OtpError';
  readonly code: OtpErrorCode;

  constructor(code: OtpErrorCode) {
    super(code);
    this.code = code;
  }
}
