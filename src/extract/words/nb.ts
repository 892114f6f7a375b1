import type { Language } from './language.ts';

export const norwegian: Language = {
  code: 'kode*|koden|*kode|*koden|pin',
  oneTime: 'engangskode*|sikkerhetskode*|engangspassord*|autentiseringskode*|gjenopprettingskode*',
  password: 'passord*|*passord*',
  verify: 'bekreft*|verifis*|verifik*|aktiver*|valider*|stadfest*|autentiser*',
  signIn: 'logg inn|logge inn|innlogg*|pålogg*|registrer*',
  reset:
    'nullstill*|nytt passord|glemt|endre passord|tillbakestill*|gjenopprett*|endre passordet|bytte passord|bytt passord|glemte|tilbakestill*|passordstilbakestill*|passordtilbakestill*|passordgjenoppret*',
  invite: 'invit*|bli med|delta|godta|aksepter*|*invitasjon*|innby*',
  unsubscribe:
    'meld deg av|avmeld*|avslutt abonnement*|varslingsinnstilling*|varselinnstilling*|endre varsl*|slutte å motta|ikke lenger motta|administrer varsl*',
  enter: 'skriv inn|oppgi|bruk|tast|angi|legg inn|fyll inn',
  expires: 'utløper|gyldig*',
  number:
    'ordre*|bestilling*|faktura*|kundenummer*|referanse*|sporingsnummer*|postnummer|telefon*|tlf|beløp|sum|totalt|konto*|serienummer*|feilkode*|strekkode*|engangsbetaling*|engangsgebyr*|engangsbeløp*',
  offer: 'rabatt*|gavekort*|kupong*|verdibevis*',
  unlock: 'låse opp|lås opp|oppheve sperr*',
  decline: 'avvis*|avslå*|takk nei',
  look: 'se over|kontroller*',
  signUp: 'opprett*|registrer*|oprett*',
  link: 'lenke*|lenka|link*',
  account: 'konto*|bruker*',
  address: 'e-post*|epost*|mail*',
  or: 'eller',
  here: 'her|klikk her|trykk her|fortsett|neste',
  is: 'er',
  money: 'kr',
};
