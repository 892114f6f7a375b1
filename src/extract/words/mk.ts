import type { Language } from './language.ts';

export const macedonian: Language = {
  tag: 'mk',
  name: 'Macedonian',
  code: 'код|кодот|кодови|пин',
  oneTime: 'безбедносен код|еднократ*',
  password: 'лозинк*',
  verify: 'потврд*|верифик*|активир*',
  signIn: 'најав*|регистр*',
  reset: 'ресетир*|нова лозинка|заборав*',
  invite: 'покан*|придруж*|прифат*',
  unsubscribe: 'откажи претплата|одјав*',
  enter: 'внесете*|внеси|користете|искористете',
  expires: 'истекува|важи',
  number: 'нарачк*|фактур*|телефон*|поштенски број|износ|вкупно|пратка',
  offer: 'попуст*|купон*',
};
