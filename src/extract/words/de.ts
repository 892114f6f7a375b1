import type { Language } from './language.ts';

export const german: Language = {
  code: 'code|codes|*code|*codes|pin|kennung|*kennwort',
  oneTime:
    'sicherheitscode*|einmalcode*|einmal-code*|einmalpasswort*|einmalkennwort*|einmal-passwort*|zugangscode*|login-code*|logincode*|verifikationscode*|reset-code*|prüfcode*|zahlencode*|tan|mtan|sms-tan|einladungscode',
  password: 'passwort|kennwort|*passwort*|*kennwort*',
  verify:
    'bestätig*|verifizier*|aktivier*|freischalt*|authentifizier*|zwei-faktor*|verifikation|validier*|freigeschaltet|freizuschalten|kontoaktivier*|kontobestätig*',
  signIn: 'anmeld*|einlogg*|login|registrier*',
  reset:
    'zurücksetz*|passwort vergessen|neues passwort|passwort ändern|zurückzusetzen|wiederherstell*|rücksetz*|passwortrücksetz*|passwort-reset|passwortänderung|passwort zu ändern|kennwort ändern|kennwort zu ändern|neues kennwort|kennwort vergessen|zurückgesetzt|passwortwiederherst*|wiederherzustellen',
  invite:
    'einlad*|eingeladen|beitreten|beizutreten|annehmen|anzunehmen|lädt sie ein|lädt dich ein|lud sie ein|*einladung*|akzeptier*',
  unsubscribe:
    'abbestell*|abmelden vom newsletter|austragen|abmelden|abbestellen|newsletter-einstellungen|benachrichtigungseinstellung*|benachrichtigungs-einstellung*|nicht mehr erhalten|nicht mehr empfangen|keine e-mails mehr|keine weiteren e-mails',
  enter: 'eingeben|geben sie|gib|einzugeben|eintippen|verwenden|verwende|nutzen',
  expires: 'gültig|läuft ab|abläuft|verfällt',
  number:
    'bestell*|auftrag*|rechnung*|kundennummer*|kundennr|kundencode|referenz*|aktenzeichen|sendungsnummer*|paketnummer|kontonummer*|konto-nr|vorgangsnummer|ticketnummer|buchungsnummer*|buchungscode*|postleitzahl*|plz|telefon*|tel|handy*|handelsregister|hrb|hra|ust-idnr|fehlercode*|gesamt|gesamtbetrag|summe|betrag|artikelnummer*|artikel|seriennummer*|vertragsnummer*|vertrag|endziffer*|mitgliedsnummer*|qr-code*|barcode*|quellcode*|strichcode*|zimmer|einmalzahlung*|einmalbetrag*|einmalgebühr*|einmalspende*',
  offer: 'gutschein*|rabatt*|aktionscode*|geschenkkarte*',
  unlock: 'entsperr*',
  decline: 'ablehn*|abgelehnt|abzulehn*|zurückweis*|widerruf*',
  look: 'überprüf*|prüf*|ansehen',
  signUp: 'registr*|konto erstellen|konto anlegen|*registr*',
  link: 'link*|verknüpfung*',
  account: 'konto*|*konto*|konten|benutzer*|mitglied*',
  address: 'mail*|e-mail*|postfach*',
  or: 'oder',
  here: 'hier|hier klicken|klicken sie hier|klicke hier|weiter|fortfahren|los',
  is: 'ist|lautet|lauten|sind',
  numberLabel: 'nr|nummer',
  unit: 'minute|minuten|stunde|stunden|tage|tagen|uhr',
  money: 'prozent',
  contact: 'hrb|hra|ust-idnr|plz|telefon*',
  retired: 'ist abgelaufen|ist ungültig',
  purpose: 'bestellung|auftrag|konto',
  once: 'einmalig*',
};
