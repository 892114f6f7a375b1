import type { Language } from './language.ts';

export const frisian: Language = {
  tag: 'fy',
  name: 'Frisian',
  code: 'koade*|*koade',
  oneTime: 'ferifikaasjekoade*|befêstigingskoade*|feiligenskoade*',
  password: 'wachtwurd*',
  verify: 'ferifi*|befêstig*',
  signIn: 'oanmeld*|ynlogge*',
  reset: 'opnij ynstelle|nij wachtwurd|wachtwurd feroarje|weromsette',
  invite: 'útnoeg*|meidwaan',
  unsubscribe: 'ôfmelde',
  enter: 'fier|brûk',
  expires: 'ferrint|jildich',
  number: 'bestelling*|faktuer*|telefoan*|postkoade*|totaal',
  offer: 'koarting*',
};
