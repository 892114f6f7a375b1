import type { Language } from './language.ts';

export const croatian: Language = {
  tag: 'hr',
  name: 'Croatian',
  code: 'kod|koda|kodom|kôd*|pin|šifra|šifru',
  oneTime:
    'kod za potvrdu|kod za provjeru|kontrolni kod|kod za prijavu|jednokratn*|verifikacijsk*|sigurnosni kod|aktivacijski kod|potvrdni kod|kod za verifikaciju|kod za resetiranje',
  password: 'lozink*|zapork*',
  verify: 'potvrd*|provjer*|verific*|verifik*|aktivir*',
  signIn: 'prijav*|registr*',
  reset: 'resetir*|poništ*|ponovno postav*|novu lozinku|nova lozinka|zaborav*|obnov*|promijenit*',
  invite: 'pozv*|poziv*|pridruži*|prihvat*',
  unsubscribe: 'odjav*|otkaži pretplatu',
  enter: 'unesi*|unesite|upišite|koristite|iskoristite',
  expires: 'istječe|vrijedi|važi',
  number:
    'narudžb*|broj narudžbe|račun*|broj kupca|broj pošiljke|poštanski broj|telefon*|iznos|ukupno|poziv na broj|rezervacij*|oib|serijski broj',
  offer: 'kod za popust|popust*|kupon*|poklon bon',
};
