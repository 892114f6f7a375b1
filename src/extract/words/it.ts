import type { Language } from './language.ts';

export const italian: Language = {
  code: 'codice|codici|pin|token',
  oneTime:
    'codice di sicurezza|codice monouso|codice otp|codice usa e getta|codice temporaneo|password monouso|token otp',
  password: 'password',
  verify: 'verific*|conferm*|attiv*|convalid*|autentic*|verifich*',
  signIn: 'acced*|accesso|login|registr*|iscri*',
  reset:
    'reimpost*|ripristin*|recuper*|nuova password|cambia la password|cambiare la password|dimenticat*|reset*|cambio password|cambio della password|modificare la password|modifica della password',
  invite: 'invit*|unisciti|unirti|accett*|partecip*',
  unsubscribe:
    "annulla l'iscrizione|cancella l'iscrizione|disiscri*|disiscriviti|impostazioni di notifica|impostazioni delle notifiche|preferenze di notifica|annulla iscrizione|annullare l'iscrizione|non ricevere più|smettere di ricevere|annulla la sottoscrizione|disiscriz*",
  enter: 'inserisci*|inserire|inserendo|immetti|immettere|usa|utilizza|digita|digitare|inserisca',
  expires: 'scade|scadrà|valido',
  number:
    "ordine|ordini|numero d'ordine|fattura*|riferimento|numero cliente|codice cliente|codice postale|codice fiscale|spedizione|telefono|tel|importo|totale|p.iva|partita iva|prenotazione|cap|tracciamento|numero di serie|prodotto|codice a barre|conto",
  offer: 'codice promozionale|sconto|buono|coupon|carta regalo',
  unlock: 'sblocc*',
  decline: 'rifiut*|declin*',
  look: 'controll*|visualizz*',
  signUp: 'registr*|iscri*|crea un account|creare un account',
  link: 'link*|collegamento*',
  account: 'account*|utente*|utenti',
  address: 'mail*|posta',
  or: 'oppure|o rifiut*|o declin*',
  here: 'qui|clicca qui|fai clic qui|fare clic qui|cliccare qui|questo link|continua|avanti',
  is: 'è',
  numberLabel: 'numero',
  travel: 'prenotazione*',
  contact: 'p.iva|cap',
  retired: 'è scaduto',
  purpose: 'ordine|prenotazione',
  once: 'monouso|usa e getta|una tantum',
};
