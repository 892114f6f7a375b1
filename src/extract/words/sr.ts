import type { Language } from './language.ts';

export const serbian: Language = {
  code: 'kod|koda|код|кода|kodom|пин|шифра|šifra|pin|kôd*|кôд*',
  oneTime: 'сигурносни код|sigurnosni kod',
  password: 'лозинк*|lozink*|шифр*|šifr*',
  verify: 'потврд*|верифик*|активир*|провер*|potvrd*|verifik*|aktivir*|proveri*|потврђ*|potvrđ*|активац*|aktivac*',
  signIn: 'пријав*|prijav*|регистр*|улогуј*|ulogu*|logovanj*|логовањ*',
  reset:
    'ресет*|поништ*|поново постав*|нову лозинку|resetuj*|resetov*|poništ*|ponovno postav*|novu lozinku|заборав*|zaborav*|промену лозинке|промена лозинке|promenu lozinke|promena lozinke|обнов*|obnov*',
  invite: 'позва*|позови*|позив*|придруж*|прихват*|pozva*|pozovi*|poziv*|pridruž*|prihvat*',
  unsubscribe: 'одјав*|odjav*',
  enter: 'унеси*|унесите|користите|unesi*|unesite|koristite|upišite',
  expires: 'истиче|важи|ističe|važi',
  number:
    'поруџбин*|рачун*|број купца|број пошиљке|поштански број|телефон*|износ|укупно|porudžbin*|račun*|broj kupca|broj pošiljke|poštanski broj|telefon*|iznos|ukupno|резервациј*|rezervacij*|pib',
  offer: 'попуст*|popust*|купон*|kupon*|ваучер*|vaučer*',
  unlock: 'otključa*|odblok*|откључа*|одблок*',
  decline: 'odbij*|odbaci*|одбиј*|одбаци*',
  look: 'prover*|pogled*|провер*|поглед*',
  signUp: 'registr*|otvori nalog|регистр*|отвори налог',
  link: 'link*|veza|vezu|линк*|везу|веза',
  account: 'nalog*|račun*|korisni*|налог*|рачун*|корисни*',
  address: 'pošt*|mejl*|imejl*|пошт*|мејл*|имејл*',
  or: 'ili|или',
  here: 'ovde|kliknite ovde|klikni ovde|nastavi|dalje|овде|кликните овде|настави|даље',
  numberLabel: 'број|broj',
  once: 'једнократн*|jednokratn*',
};
