import type { Language } from './language.ts';

export const czech: Language = {
  tag: 'cs',
  name: 'Czech',
  code: 'kód*|pin|token',
  oneTime:
    'ověřovací kód*|bezpečnostní kód*|jednorázov*|přihlašovací kód*|potvrzovací kód*|aktivační kód*|autorizační kód*|přístupový kód*|obnovovací kód*|kód pro obnovení|kód pro ověření|kód k ověření',
  password: 'hesl*',
  verify: 'ověř*|potvrd*|potvrz*|aktivuj*|aktivov*|aktivac*|aktivač*',
  signIn: 'přihl*|registr*',
  reset: 'obnov*|resetov*|nové heslo|změna hesla|změnu hesla|zapomen*|změnit heslo',
  invite: 'pozv*|připoj*|přijm*',
  unsubscribe: 'odhlásit odběr|zrušit odběr|odhlásit z odběru',
  enter: 'zadej*|zadáním|zadání|použij*|vložte|napište',
  expires: 'platn*|vyprší|platí',
  number:
    'objednávk*|číslo objednávky|faktur*|číslo zákazníka|zákaznické číslo|variabilní symbol|číslo zásilky|psč|telefon*|tel|částk*|celkem|rezervac*|číslo účtu|sériové číslo|ičo|smlouv*|účt*',
  offer: 'slev*|kupon*|kupón*|dárkový poukaz',
};
