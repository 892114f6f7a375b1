import { awsAnswer, awsError, type QueryForm, type XmlValue } from '../aws.ts';
import { type DoorAnswer, type DoorCall, DoorRefusal } from '../door.ts';

const NAMESPACE = 'http://sns.amazonaws.com/doc/2010-03-31/';

/** What an action of SNS does. */
export type SnsAction = (call: DoorCall, form: QueryForm) => Promise<DoorAnswer>;

/** Writes the answer of an action. */
export function done(form: QueryForm, result: XmlValue = ''): DoorAnswer {
  return awsAnswer(NAMESPACE, form, result);
}

export function snsError(code: string, message: string, status = 400): DoorAnswer {
  return awsError(NAMESPACE, code, message, status);
}

export function refuseSns(code: string, message: string, status = 400): DoorRefusal {
  return new DoorRefusal(snsError(code, message, status));
}
