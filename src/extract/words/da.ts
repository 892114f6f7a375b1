import type { Language } from './language.ts';

export const danish: Language = {
  code: 'kode*|koden|*kode|*koden|pin',
  oneTime: 'engangskode*|sikkerhedskode*|loginkode*|login-kode*|adgangskode til engangsbrug|engangsadgangskode*',
  password: 'adgangskode*|kodeord*|*adgangskode*',
  verify: 'bekræft*|verific*|verifik*|aktiver*|godkend*|valider*',
  signIn: 'log ind|logge ind|login|tilmeld*|registrer*',
  reset:
    'nulstil*|ny adgangskode|glemt|skift adgangskode|gendan*|ændre adgangskode|ændre din adgangskode|skifte adgangskode',
  invite: 'invit*|deltag*|tilslut*|accepter*',
  unsubscribe:
    'afmeld*|notifikationsindstilling*|meddelelsesindstilling*|underretningsindstilling*|underretningindstilling*|stoppe med at modtage|ikke længere modtage|framelde',
  enter: 'indtast*|brug|skriv|angiv',
  expires: 'udløber|gyldig*',
  number:
    'ordre*|bestilling*|faktura*|kundenummer*|reference*|sporingsnummer*|postnummer|telefon*|tlf|beløb|i alt|total|booking*|konto*|serienummer*|cvr|fejlkode*|stregkode*|engangsbetaling*|engangsgebyr*|engangsbeløb*',
  offer: 'rabat*|gavekort*|kuponkode*|værdibevis*|tilgodebevis*',
  unlock: 'lås op|låse op|oplås*',
  decline: 'afvis*|afslå*',
  look: 'tjek|kontroller*|se nærmere',
  signUp: 'tilmeld*|oprett*|registrer*',
  link: 'link*',
  account: 'konto*|konti|bruger*',
  address: 'mail*|e-mail*|e-post*|epost*',
  or: 'eller',
  here: 'her|klik her|fortsæt|næste',
  is: 'er',
  money: 'kr',
  contact: 'tlf|cvr',
};
