import type { Language } from './language.ts';

export const bosnian: Language = {
  tag: 'bs',
  name: 'Bosnian',
  code: 'kod|koda|kôd|pin|šifra',
  oneTime: 'verifikacijski kod|kod za potvrdu|sigurnosni kod|jednokratn*|kod za prijavu',
  password: 'lozink*|šifr*',
  verify: 'potvrd*|verifik*|aktivir*',
  signIn: 'prijav*|registr*',
  reset: 'resetuj*|resetir*|poništ*|nova lozinka|novu lozinku|zaborav*',
  invite: 'pozv*|poziv*|pridruži*|prihvat*',
  unsubscribe: 'odjav*',
  enter: 'unesi*|unesite|koristite',
  expires: 'ističe|važi',
  number: 'narudžb*|račun*|telefon*|poštanski broj|iznos|ukupno',
  offer: 'popust*|kupon*',
};
