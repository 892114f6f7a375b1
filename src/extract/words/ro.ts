import type { Language } from './language.ts';

export const romanian: Language = {
  code: 'cod|codul|codului|coduri|pin|token',
  oneTime:
    'cod de securitate|codul de securitate|cod de acces|codul de acces|codul tău de conectare|cod unic|codul unic|parolă unică|de unică folosință',
  password: 'parol*',
  verify: 'verific*|confirm*|activa*|activă*|activeaz*|valid*|autentific*|activez*|activați|activati|activezi',
  signIn: 'conect*|intra în cont|autentific*|înregistr*',
  reset:
    'reset*|recuper*|parolă nouă|parola nouă|noua parolă|uitat|schimbarea parolei|schimba parola|schimbă parola|schimbați parola',
  invite: 'invit*|alătur*|accept*',
  unsubscribe: 'dezabon*|setările de notificare|setările notificărilor|nu mai primi*|setările tale de notificare',
  enter: 'introdu*|folos*|utiliz*|tast*',
  expires: 'expiră|valabil',
  number:
    'comand*|numărul comenzii|factur*|număr client|awb|cod poștal|telefon*|tel|sum*|total|referință|rezervare*|cui|cod client|cod produs|cont|serie|postal',
  offer: 'reducere*|cod promoțional|voucher*|cupon*|card cadou',
  unlock: 'debloc*',
  decline: 'refuz*|respin*|declin*',
  look: 'revizui*|vizualiz*',
  signUp: 'înregistr*|înscri*|creează un cont|creați un cont|crearea contului',
  link: 'link*',
  account: 'cont|contul*|conturi*|utilizator*',
  address: 'mail*|poșt*|e-mail*',
  or: 'sau|ori',
  here: 'aici|click aici|clic aici|apăsați aici|faceți clic aici|continuă|continuați|înainte',
  is: 'este|e',
  numberLabel: 'numărul',
  money: 'lei',
  purpose: 'cont|contul',
  once: 'unic|unică|unica|de unică folosință|de o singură utilizare',
};
