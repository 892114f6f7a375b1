import type { Language } from './language.ts';

export const filipino: Language = {
  tag: 'fil',
  name: 'Filipino',
  code: 'code|kodigo|pin',
  oneTime: 'verification code|otp|security code|code sa pag-verify|one-time',
  password: 'password',
  verify: 'i-verify|beripik*|kumpirma*|ikumpirma|pagkumpirma|patunayan|tiyakin',
  signIn: 'mag-log in|mag-sign in|pag-log in|magrehistro|rehistro*',
  reset: 'i-reset|bagong password|nakalimutan',
  invite: 'imbita*|sumali|tanggapin',
  unsubscribe: 'mag-unsubscribe',
  enter: 'ilagay|gamitin|i-type|i-enter',
  expires: 'mag-expire|may bisa',
  number: 'order number|resibo|telepono|kabuuan',
  offer: 'diskwento|kupon',
};
