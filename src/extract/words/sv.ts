import type { Language } from './language.ts';

export const swedish: Language = {
  code: 'kod*|koden|*kod|*koden|pin|token',
  oneTime: 'engångskod*|säkerhetskod*|engångslösenord*|autentiseringskod*',
  password: 'lösenord*|*lösenord*',
  verify: 'bekräft*|verifi*|aktiver*|validera*|validering*',
  signIn: 'logga in|inlogg*|registrer*',
  reset:
    'återställ*|nytt lösenord|glömt|byt lösenord|ändra lösenord|byta lösenord|byta ditt lösenord|ändra ditt lösenord|lösenordsåterst*|lösenordsbyte',
  invite: 'inbjud*|bjudit|bjuder|gå med|acceptera|*inbjud*|går med',
  unsubscribe:
    'avregistrera|avprenumerera|avsluta prenumeration*|aviseringsinställning*|notisinställning*|notifikationsinställning*|dina aviseringar|sluta få|sluta ta emot|inte längre få|avanmäl*',
  enter: 'ange|anger|skriv|fyll i|använd*|mata',
  expires: 'går ut|giltig*|upphör',
  number:
    'order*|beställning*|faktura*|kundnummer*|referens*|spårningsnummer*|postnummer|telefon*|tel|belopp|summa|totalt|bokning*|konto*|serienummer*|felkod*|produktkod|streckkod*|personnummer|engångsbetalning*|engångsavgift*|engångsbelopp*',
  offer: 'rabatt*|presentkort*|kampanjkod*|kupong*|värdecheck*|värdekod*',
  unlock: 'lås upp|låsa upp|upplås*',
  decline: 'avböj*|tacka nej|avvisa*|neka',
  look: 'granska*|kontroller*|titta på',
  signUp: 'registr*|skapa*|*registr*|bli medlem',
  link: 'länk*',
  account: 'konto*|användar*',
  address: 'mejl*|e-post*|epost*|mail*',
  or: 'eller',
  here: 'här|klicka här|tryck här|fortsätt|nästa',
  is: 'är',
  numberLabel: 'nummer',
  money: 'kr',
};
