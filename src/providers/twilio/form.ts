import type { DoorCall } from '../door.ts';
import { refuseTwilio } from './errors.ts';

/** The parameters of a request to Twilio, which its SDKs send as a form. */
export class TwilioForm {
  readonly #fields: readonly (readonly [name: string, value: string])[];

  constructor({ body }: DoorCall) {
    this.#fields = body.kind === 'form' ? body.fields.map(({ name, value }) => [name, value] as const) : [];
  }

  /** Returns a parameter; undefined if it is missing or empty. */
  one(name: string): string | undefined {
    return this.given(name) || undefined;
  }

  /** Returns a parameter as it was given, also an empty one. */
  given(name: string): string | undefined {
    return this.#fields.find(([key]) => key === name)?.[1];
  }

  all(name: string): string[] {
    return this.#fields.filter(([key]) => key === name).map(([, value]) => value);
  }

  required(name: string): string {
    const value = this.one(name);
    if (value === undefined) throw refuseTwilio(20001, `Missing required parameter ${name} in the post body`);
    return value;
  }
}
