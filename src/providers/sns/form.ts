import { awsAnswer, awsRefusal, type QueryForm, type XmlValue } from '../aws.ts';
import type { DoorAnswer, DoorRefusal } from '../door.ts';

export const SNS_NAMESPACE = 'http://sns.amazonaws.com/doc/2010-03-31/';

/** Writes the answer of an action that answers by itself. */
export function done(form: QueryForm, result: XmlValue): DoorAnswer {
  return awsAnswer(SNS_NAMESPACE, form, result);
}

export function refuseSns(code: string, message: string, status = 400): DoorRefusal {
  return awsRefusal(SNS_NAMESPACE, code, message, status);
}

/** Creates the refusal of a parameter. `what` names it, and may say what is wrong. */
export function invalid(what: string): DoorRefusal {
  return refuseSns('InvalidParameter', `Invalid parameter: ${what}`);
}
