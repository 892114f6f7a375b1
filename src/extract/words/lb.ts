import type { Language } from './language.ts';

export const luxembourgish: Language = {
  tag: 'lb',
  name: 'Luxembourgish',
  code: 'code|pin',
  oneTime: 'sécherheetscode*|eemolcode*|bestätegungscode*|verifikatiounscode*',
  password: 'passwuert*',
  verify: 'bestäteg*|konfirméier*|verifizéier*|aktivéier*',
  signIn: 'umell*|aloggen|registréier*|unzemellen',
  reset: 'zrécksetz*|zréckzesetz*|neit passwuert|nei passwuert|passwuert vergiess*|passwuert änner*',
  invite: 'invit*|alued*|agelued*|bäitriet*|unhuelen',
  unsubscribe: 'ofmellen|ofbestell*',
  enter: 'agi*|anzeginn|benotz*',
  expires: 'gülteg|leeft of',
  number: 'bestellung*|rechnung*|telefon*|postleitzuel|kont|total|betrag|referenz*',
  offer: 'rabatt*|bong*',
};
