import type { Language } from './language.ts';

export const slovenian: Language = {
  code: 'kod*|pin',
  oneTime: 'potrditven*|varnostna koda|varnostno kodo|aktivacijsk*',
  password: 'gesl*',
  verify: 'potrdi*|preveri*|aktivir*|overit*|overi*|potrjev*|aktivac*',
  signIn: 'prijav*|registr*|vpiši*|vpis',
  reset: 'ponastav*|obnov*|novo geslo|pozabljen*|spremembo gesla|sprememba gesla|spremeni geslo|spremenite geslo',
  invite: 'povabi*|vabil*|pridruži*|sprejm*|povab*',
  unsubscribe: 'odjav*|prenehati prejemati|odjavit*',
  enter: 'vnesi*|vnesite|uporabi*|vpiši*',
  expires: 'poteče|velja*',
  number:
    'naročil*|račun*|številka stranke|številka pošiljke|poštna številka|telefon*|znesek|skupaj|sklic*|rezervacij*|serijska številka',
  offer: 'popust*|kupon*|darilni bon|vavčer*',
  unlock: 'odkleni*|odblok*',
  decline: 'zavrn*|odkloni*',
  look: 'preveri*|preglej*',
  signUp: 'registr*|ustvari račun|ustvarite račun|odpri račun',
  link: 'povezav*',
  account: 'račun*|uporabnik*|uporabnišk*',
  address: 'pošt*|e-pošt*|mail*',
  or: 'ali',
  here: 'tukaj|tu|kliknite tukaj|kliknite tu|nadaljuj|naprej',
  is: 'je',
  once: 'enkratn*',
};
