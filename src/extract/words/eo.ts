import type { Language } from './language.ts';

export const esperanto: Language = {
  code: 'kodo*|pin',
  oneTime: 'konfirmkodo*|unufoja kodo*|sekurkodo*|ensalutkodo*',
  password: 'pasvort*',
  verify: 'konfirm*|kontrol*|aktivig*|validig*',
  signIn: 'ensalut*|registri*',
  reset:
    'restarig*|forges*|nova pasvort*|novan pasvort*|ŝanĝi vian pasvort*|ŝanĝi pasvort*|ŝanĝi mian pasvort*|reagord*',
  invite: 'invit*|aliĝ*|akcept*',
  unsubscribe: 'malabon*|ne plu ricevi',
  enter: 'entajp*|enigu|uzu|uzi',
  expires: 'validas|eksvalid*|senvalid*',
  number: 'mendo*|faktur*|telefon*|poŝtkodo*|konto|sumo|entute|klientnumero',
  offer: 'rabat*|kupono*',
  unlock: 'malŝlos*|malblok*',
  decline: 'rifuz*|malakcept*',
  look: 'rigard*',
  signUp: 'registri*|aliĝ*|krei konton',
  link: 'ligil*',
  account: 'konto*|uzant*',
  address: 'retpoŝt*|poŝt*',
  or: 'aŭ',
  here: 'ĉi tie|tie ĉi|alklaku ĉi tie|daŭrigi|sekva',
  once: 'unufoj*',
};
