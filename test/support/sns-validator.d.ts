// The package has no types of its own.
declare module 'sns-validator' {
  class MessageValidator {
    constructor(hostPattern?: RegExp, encoding?: string);
    validate(
      message: string | object,
      done: (error: Error | null, message: Readonly<Record<string, string>>) => void,
    ): void;
  }
  export = MessageValidator;
}
