import type { Language } from './language.ts';

export const croatian: Language = {
  code: 'kod|koda|kodom|kôd*|pin|šifra|šifru',
  oneTime: 'kontrolni kod|verifikacijsk*|sigurnosni kod|aktivacijski kod',
  password: 'lozink*|zapork*',
  verify: 'potvrd*|provjer*|verific*|verifik*|aktivir*|potvrđ*|aktivac*',
  signIn: 'prijav*|registr*',
  reset:
    'resetir*|poništ*|ponovno postav*|novu lozinku|nova lozinka|zaborav*|obnov*|promijeniti lozinku|promjena lozinke|promjenu lozinke|promijeni lozinku|nova zaporka|novu zaporku|promjenu zaporke|promjena zaporke',
  invite: 'pozv*|poziv*|pridruži*|prihvat*',
  unsubscribe:
    'odjav*|otkaži pretplatu|postavke obavijesti|postavkama obavijesti|prestati primati|prestali primati|otkazati pretplatu',
  enter: 'unesi*|unesite|upišite|koristite|iskoristite',
  expires: 'istječe|vrijedi|važi',
  number:
    'narudžb*|račun*|broj kupca|broj pošiljke|poštanski broj|telefon*|iznos|ukupno|poziv na broj|rezervacij*|oib|serijski broj',
  offer: 'popust*|kupon*|poklon bon|vaučer*|bon za',
  unlock: 'otključa*|odblok*',
  decline: 'odbij*|odbaci*',
  look: 'provjer*|pregled*',
  signUp: 'registr*|otvori račun|izradi račun|otvaranje računa',
  link: 'poveznic*|link*',
  account: 'račun*|korisnik*|korisničk*',
  address: 'mail*|e-pošt*|pošt*',
  or: 'ili',
  here: 'ovdje|kliknite ovdje|klikni ovdje|nastavi|dalje',
  is: 'je',
  numberLabel: 'broj',
  once: 'jednokratn*',
};
