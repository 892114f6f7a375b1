import type { Language } from './language.ts';

export const uzbek: Language = {
  tag: 'uz',
  name: 'Uzbek',
  code: 'kod|kodi|kodni|kodingiz*|код|коди|pin',
  oneTime: 'bir martalik*|xavfsizlik kodi*',
  password: 'parol*|парол*',
  verify: 'tasdiqla*|faollashtir*|тасдиқла*|tekshir*',
  signIn: "kirish*|ro'yxat*|кириш*",
  reset: "tikla*|qayta o'rnat*|yangi parol*|unut*|тикла*",
  invite: "taklif*|qo'shil*",
  unsubscribe: 'obunani bekor qil*',
  enter: 'kiriting|foydalaning|киритинг',
  expires: 'amal qil*',
  number: 'buyurtma*|hisob-faktura*|telefon*|summa*|jami|pochta indeksi',
  offer: 'chegirma*|kupon*|promokod*',
};
