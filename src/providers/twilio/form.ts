import { FormFields } from '../form-fields.ts';
import { refuseTwilio } from './errors.ts';

/** The parameters of a request to Twilio, which its SDKs send as a form. */
export class TwilioForm extends FormFields {
  required(name: string): string {
    const value = this.one(name);
    if (value === null) throw refuseTwilio(20001, `Missing required parameter ${name} in the post body`);
    return value;
  }
}
