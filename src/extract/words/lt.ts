import type { Language } from './language.ts';

export const lithuanian: Language = {
  code: 'kodas|kodą|kodo|kodu|kodai|pin',
  oneTime:
    'patvirtinimo kod*|saugos kod*|prisijungimo kod*|aktyvavimo kod*|autentifikavimo kod*|atkūrimo kod*|tapatybės kod*',
  password: 'slaptažod*',
  verify: 'patvirtin*|aktyvuo*|aktyvin*|tapatyb*|aktyvav*|aktyvac*',
  signIn: 'prisijung*|registr*',
  reset: 'atkur*|atstat*|naują slaptažod*|naujas slaptažod*|pakeisti slaptažod*|pamirš*',
  invite: 'kviet*|pakvie*|prisijunkite prie|priimti',
  unsubscribe: 'atsisaky*|nebeprenumeruo*|nebegauti|atsisakyti prenumeratos',
  enter: 'įveskite|įvesti|įveskit|naudokite|panaudokite|suveskite',
  expires: 'galioja|galios|baigiasi',
  number:
    'užsakym*|sąskait*|kliento numeris|siuntos numeris|pašto kodas|telefon*|suma|iš viso|nuorod*|serijos numeris|rezervacij*|pašto kod*',
  offer: 'nuolaid*|kupon*|dovanų ček*',
  unlock: 'atrakin*|atblok*',
  decline: 'atmest*|atmesk*|atsisak*',
  look: 'patikrin*|peržiūr*',
  signUp: 'regist*|užsiregistr*|prisiregistr*|*registr*|sukurti paskyrą',
  link: 'nuorod*',
  account: 'paskyr*|naudotoj*|vartotoj*',
  address: 'pašt*|laišk*',
  or: 'arba',
  here: 'čia|spauskite čia|spustelėkite čia|paspauskite čia|tęsti|toliau',
  is: 'yra',
  numberLabel: 'numeris',
  once: 'vienkartin*',
};
