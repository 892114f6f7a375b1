import type { Language } from './language.ts';

export const afrikaans: Language = {
  tag: 'af',
  name: 'Afrikaans',
  code: 'kode*|*kode|pin',
  oneTime: 'sekuriteitskode*|eenmalige*|otp',
  password: 'wagwoord*',
  verify: 'verifi*|bevestig*|aktiveer*|valideer*',
  signIn: 'meld aan|aanmeld*|inteken*|registr*',
  reset: 'herstel*|terugstel*|nuwe wagwoord|vergeet',
  invite: 'nooi*|uitnodig*|sluit aan',
  unsubscribe: 'teken uit|uitteken',
  enter: 'voer|tik|gebruik',
  expires: 'verval|geldig',
  number: 'bestelling*|bestelnommer*|faktuur*|telefoon*|poskode*|bedrag|totaal|kliëntnommer|verwysing*',
  offer: 'afslag*|koepon*',
};
