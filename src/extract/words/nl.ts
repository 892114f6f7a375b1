import type { Language } from './language.ts';

export const dutch: Language = {
  code: 'code|codes|*code|pin|pincode|token',
  oneTime:
    'beveiligingscode*|toegangscode*|eenmalige code|activeringscode*|activatiecode*|eenmalig wachtwoord|authenticatiecode*|registratiecode*|otp-code|otp token',
  password: 'wachtwoord*|*wachtwoord*',
  verify: 'verifi*|bevestig*|activeer*|activeren|valide*|activatie*|activering*|geactiveerd|validat*|geverifieerd',
  signIn: 'inlog*|aanmeld*|log in|registre*|te loggen',
  reset:
    'herstel*|opnieuw in te stellen|opnieuw instellen|wachtwoord resetten|reset*|nieuw wachtwoord|wachtwoord vergeten|wachtwoord wijzigen|wijzig wachtwoord|wijzig aanmeldgegevens|wachtwoord aanpassen|stel een nieuw|wachtwoord te wijzigen|wachtwoord veranderen|wachtwoordherstel*|wachtwoord opnieuw|opnieuw ingesteld|wachtwoord te veranderen',
  invite: 'uitnodig*|uitgenodigd|deelnemen|accepteren|lid worden|accepteer*|nodigt|*uitnodiging*',
  unsubscribe:
    'uitschrijven|afmelden|meldingsinstelling*|notificatie-instelling*|notificatieinstelling*|niet meer ontvangen|geen e-mails meer|niet langer ontvangen|uitschrijf*',
  enter: 'voer|invoeren|voeren|vul|invullen|gebruik|typ',
  expires: 'verloopt|geldig',
  number:
    'bestelling*|bestelnummer*|ordernummer*|factuur*|klantnummer*|klantcode|referentie*|postcode*|telefoon*|tel|bedrag|totaal|kvk|trackingnummer*|boeking*|rekening*|serienummer*|productcode|foutcode*|streepjescode|zendingsnummer|kosten*',
  offer: 'korting*|couponcode*|cadeaukaart*|actiecode*|waardebon*',
  unlock: 'ontgrendel*|deblokk*',
  decline: 'weiger*|afwijz*|afgewezen',
  look: 'controle*|bekijk*',
  signUp: 'registr*|*registr*|account aanmaken|maak een account|inschrijv*|*registrat*',
  link: 'link*|koppeling*',
  account: 'account*|gebruiker*|lid',
  address: 'mail*|e-mail*',
  or: 'of',
  here: 'hier|klik hier|klikt u hier|deze link|doorgaan|verder|volgende',
  numberLabel: 'nr|nummer',
  travel: 'boeking*',
  contact: 'kvk',
  retired: 'is verlopen',
  purpose: 'bestelling|boeking',
  once: 'eenmalig*',
};
