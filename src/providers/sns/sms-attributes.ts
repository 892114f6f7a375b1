import { isSmsSender } from '../../domain/phone.ts';
import type { Reader } from '../../ports/store.ts';
import type { QueryActions } from '../aws.ts';
import { collection } from '../collection.ts';
import type { DoorCall } from '../door.ts';
import { invalid } from './form.ts';

// The attributes that hold for all text messages: https://docs.aws.amazon.com/sns/latest/api/API_SetSMSAttributes.html

type SmsAttributes = Readonly<Record<string, string>>;

const SETTINGS = collection<SmsAttributes>('settings');
const KEY = 'sms';

/** The attributes that can be set, with what tells whether a value is one. */
const ATTRIBUTES: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['DefaultSMSType', isSmsType],
  ['DefaultSenderID', (value: string) => value === '' || isSmsSender(value)],
  ['MonthlySpendLimit', (value: string) => /^\d{1,9}(?:\.\d{1,5})?$/.test(value)],
  ['DeliveryStatusIAMRole', isShort],
  ['DeliveryStatusSuccessSamplingRate', (value: string) => /^(?:100|\d{1,2})$/.test(value)],
  ['UsageReportS3Bucket', isShort],
]);

export const SMS_ATTRIBUTES: Pick<QueryActions, 'reads' | 'changes'> = {
  reads: {
    GetSMSAttributes: async (call, form, reader) => {
      const asked = form.list('attributes');
      const all = Object.entries(await smsAttributes(call, reader));
      return { attributes: new Map(all.filter(([name]) => asked.length === 0 || asked.includes(name))) };
    },
  },
  changes: {
    SetSMSAttributes: async (call, form, tx) => {
      const given = form.entries('attributes', 'key', 'value');
      for (const [name, value] of given) if (!ATTRIBUTES.get(name)?.(value)) throw invalid(`${name.slice(0, 40)}`);
      await SETTINGS.put(call, tx, KEY, { ...(await smsAttributes(call, tx)), ...Object.fromEntries(given) });
    },
  },
};

/** Returns the attributes of the workspace. */
export async function smsAttributes(call: DoorCall, reader: Reader): Promise<SmsAttributes> {
  return { DefaultSMSType: 'Transactional', ...(await SETTINGS.get(call, reader, KEY)) };
}

export function isSmsType(value: string): boolean {
  return value === 'Promotional' || value === 'Transactional';
}

function isShort(value: string): boolean {
  return value.length <= 256;
}
