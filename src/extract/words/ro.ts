import type { Language } from './language.ts';

export const romanian: Language = {
  tag: 'ro',
  name: 'Romanian',
  code: 'cod|codul|codului|coduri|pin|token',
  oneTime:
    'cod de verificare|codul de verificare|cod de confirmare|codul de confirmare|cod de securitate|codul de securitate|cod de acces|codul de acces|cod de autentificare|codul de autentificare|cod de conectare|codul de conectare|codul tău de conectare|cod unic|codul unic|cod de activare|codul de activare|cod de resetare|codul de resetare|parolă unică|de unică folosință',
  password: 'parol*',
  verify: 'verific*|confirm*|activa*|activă*|activeaz*|valid*|autentific*',
  signIn: 'conect*|intra în cont|autentific*|înregistr*',
  reset: 'reset*|recuper*|parolă nouă|parola nouă|noua parolă|uitat',
  invite: 'invit*|alătur*|accept*',
  unsubscribe: 'dezabon*',
  enter: 'introdu*|folos*|utiliz*|tast*',
  expires: 'expiră|valabil',
  number:
    'comand*|număr comandă|numărul comenzii|factur*|număr client|număr awb|awb|cod poștal|telefon*|tel|sum*|total|referință|rezervare*|cui|cod client|cod produs|cont|serie',
  offer: 'cod de reducere|reducere*|cod promoțional|voucher*|cupon*|card cadou',
};
