import type { Language } from './language.ts';

export const luxembourgish: Language = {
  tag: 'lb',
  name: 'Luxembourgish',
  code: 'code*|*code',
  oneTime: 'bestätegungscode*|verifikatiounscode*|sécherheetscode*',
  password: 'passwuert*',
  verify: 'bestäteg*|verifizéier*',
  signIn: 'aloggen|umellen',
  reset: 'zrécksetzen|neit passwuert',
  invite: 'invitéier*|aluede*',
  unsubscribe: 'ofmellen',
  enter: 'gitt|benotzt',
  expires: 'gëlteg',
  number: 'bestellung*|rechnung*|telefon*|postleitzuel*|total',
  offer: 'rabatt*|gutschäin*',
};
