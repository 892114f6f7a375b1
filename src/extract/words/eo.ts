import type { Language } from './language.ts';

export const esperanto: Language = {
  tag: 'eo',
  name: 'Esperanto',
  code: 'kodo*|kodon',
  oneTime: 'kontrolkodo*|konfirmkodo*|ensalutkodo*|sekureckodo*',
  password: 'pasvorto*',
  verify: 'konfirm*|kontrol*|aktivig*',
  signIn: 'ensalut*|registr*',
  reset: 'restarig*|nova pasvorto*|forges*',
  invite: 'invit*|aliĝ*',
  unsubscribe: 'malabon*',
  enter: 'enigu|entajpu|uzu',
  expires: 'validas|eksvalid*',
  number: 'mendo*|fakturo*|telefon*|poŝtkodo*|sumo*',
  offer: 'rabat*|kupono*',
};
