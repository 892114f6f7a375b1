import type { Language } from './language.ts';

export const czech: Language = {
  code: 'kód*|pin|token',
  oneTime: 'bezpečnostní kód*|autorizační kód*|přístupový kód*|kód k ověření',
  password: 'hesl*',
  verify: 'ověř*|potvrd*|potvrz*|aktivuj*|aktivov*|aktivac*|aktivač*|validac*|validov*',
  signIn: 'přihl*|registr*',
  reset: 'obnov*|resetov*|nové heslo|změna hesla|změnu hesla|zapomen*|změnit heslo',
  invite: 'pozv*|připoj*|přijm*|zván*',
  unsubscribe:
    'odhlásit odběr|zrušit odběr|odhlásit z odběru|nastavení oznámení|nastavení upozornění|nastavení svých oznámení|přestali dostávat|přestat dostávat',
  enter: 'zadej*|zadáním|zadání|použij*|vložte|napište',
  expires: 'platn*|vyprší|platí',
  number:
    'objednávk*|faktur*|číslo zákazníka|zákaznické číslo|variabilní symbol|číslo zásilky|psč|telefon*|tel|částk*|celkem|rezervac*|sériové číslo|ičo|smlouv*|účt*',
  offer: 'slev*|kupon*|kupón*|dárkový poukaz|poukaz*',
  unlock: 'odemkn*|odblok*|odemyk*',
  decline: 'odmít*|zamítn*|zamítat*|odmítat*',
  look: 'zkontrol*|kontrol*|prohlédn*',
  signUp: 'registr*|zaregistr*|vytvořit účet|založit účet',
  link: 'odkaz*',
  account: 'účet*|účtu|účtů|uživatel*',
  address: 'pošt*|e-mail*',
  or: 'nebo',
  here: 'zde|sem|klikněte zde|klepněte zde|pokračovat|další',
  is: 'je|byl|byla',
  numberLabel: 'číslo',
  contact: 'psč',
  purpose: 'účet',
  once: 'jednorázov*',
};
