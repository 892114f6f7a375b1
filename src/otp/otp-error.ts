/** What is wrong with a secret, a parameter or a URI. The server's error codes have the same names. */
export type OtpErrorCode = 'invalid_secret' | 'invalid_uri' | 'invalid_algorithm' | 'invalid_digits' | 'invalid_period';

/** A secret, a parameter or a URI that can't be read. It never carries what was given, which would show the secret. */
export class OtpError extends Error {
  override readonly name = 'OtpError';
  readonly code: OtpErrorCode;

  constructor(code: OtpErrorCode) {
    super(code);
    this.code = code;
  }
}
