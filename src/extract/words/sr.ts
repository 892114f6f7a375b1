import type { Language } from './language.ts';

export const serbian: Language = {
  tag: 'sr',
  name: 'Serbian',
  code: 'kod|koda|kôd|код|кода|kodom|пин|шифра|šifra|pin',
  oneTime:
    'верификациони код|потврдни код|сигурносни код|једнократн*|код за потврду|код за верификацију|код за пријаву|verifikacioni kod|potvrdni kod|sigurnosni kod|jednokratn*|kod za potvrdu|kod za verifikaciju|kod za prijavu',
  password: 'лозинк*|lozink*|шифр*',
  verify: 'потврд*|верифик*|активир*|провер*|potvrd*|verifik*|aktivir*|proveri*',
  signIn: 'пријав*|prijav*|регистр*|улогуј*|ulogu*|logovanj*|логовањ*',
  reset:
    'ресет*|поништ*|поново постав*|нову лозинку|resetuj*|resetov*|poništ*|ponovno postav*|novu lozinku|заборав*|zaborav*',
  invite: 'позва*|позови*|позив*|придруж*|прихват*|pozva*|pozovi*|poziv*|pridruž*|prihvat*',
  unsubscribe: 'одјав*|odjav*',
  enter: 'унеси*|унесите|користите|unesi*|unesite|koristite|upišite',
  expires: 'истиче|важи|ističe|važi',
  number:
    'поруџбин*|број поруџбине|рачун*|број купца|број пошиљке|поштански број|телефон*|износ|укупно|porudžbin*|broj porudžbine|račun*|broj kupca|broj pošiljke|poštanski broj|telefon*|iznos|ukupno|резервациј*|rezervacij*|pib',
  offer: 'код за попуст|попуст*|kod za popust|popust*|купон*|kupon*',
};
