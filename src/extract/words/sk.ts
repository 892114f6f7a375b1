import type { Language } from './language.ts';

export const slovak: Language = {
  code: 'kód*|pin|token',
  oneTime: 'bezpečnostný kód*|autorizačný kód*|prístupový kód*',
  password: 'hesl*',
  verify: 'overi*|overe*|overo*|potvrd*|aktivuj*|aktivov*|aktivác*|aktivač*|overte|potvrď*|validác*|validov*',
  signIn: 'prihl*|registr*',
  reset: 'obnov*|resetov*|nové heslo|zmena hesla|zmenu hesla|zabud*|zmeniť heslo|zmeniť svoje heslo',
  invite: 'pozv*|pripoj*|prijať',
  unsubscribe: 'odhlásiť odber|zrušiť odber|nastavenia oznámení|nastavenia upozornení|prestať dostávať|nepožadujete',
  enter: 'zadaj*|zadaním|použi*|vložte|napíšte',
  expires: 'platn*|vyprší|platí',
  number:
    'objednávk*|faktúr*|zákaznícke číslo|číslo zákazníka|variabilný symbol|číslo zásielky|psč|telefón*|tel|suma|sumy|spolu|rezerváci*|číslo účtu|sériové číslo|ičo|zmluv*',
  offer: 'zľav*|kupón*|darčekov*|poukaz*|poukážk*',
  unlock: 'odomkn*|odblok*|odomyk*',
  decline: 'odmiet*|zamietn*|odmieta*',
  look: 'skontrol*|kontrol*|prezri*',
  signUp: 'registr*|zaregistr*|vytvoriť účet|založiť účet',
  link: 'odkaz*',
  account: 'účet*|účt*|používateľ*',
  address: 'pošt*|e-mail*',
  or: 'alebo',
  here: 'sem|tu|kliknite sem|kliknite tu|pokračovať|ďalej',
  is: 'je',
  numberLabel: 'číslo',
  once: 'jednorazov*',
};
