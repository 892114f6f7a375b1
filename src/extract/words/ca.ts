import type { Language } from './language.ts';

export const catalan: Language = {
  code: 'codi|codis|pin|clau',
  oneTime: "codi de seguretat|codi d'un sol ús|codi d'accés|codi d'autenticació|contrasenya d'un sol ús",
  password: 'contrasenya*',
  verify: 'verific*|confirm*|activa*|activeu|valid*|verifiq*',
  signIn: 'inici de sessió|iniciar sessió|inicia sessió|entrar|registr*',
  reset:
    'restabl*|reinici*|recuper*|nova contrasenya|canviar la contrasenya|oblid*|canvi de contrasenya|canvia la|canvieu la',
  invite: 'invit*|convid*|uniu-vos|unir-vos|uneix*|accept*|accepteu',
  unsubscribe:
    'cancel·la la subscripció|donar-se de baixa|configuració de notificacions|configuració de les notificacions|deixar de rebre|donar-te de baixa',
  enter: 'introdu*|escriu*|fes servir|utilitz*|usa',
  expires: 'caduca*|vàlid*',
  number:
    'comand*|factur*|número de client|número de seguiment|codi postal|telèfon*|tel|total|referència|reserv*|compte',
  offer: 'codi promocional|descompt*|cupó*',
  unlock: 'desbloqu*|desbloc*',
  decline: 'rebutj*|declin*|refus*',
  look: 'revisa|revisar|comprova*',
  signUp: 'registr*|inscri*|inscrib*|crea un compte|crear un compte',
  link: 'enllaç*',
  account: 'compte*|usuari*',
  address: 'correu*',
  or: 'o rebutj*|o declin*',
  here: 'aquí|fes clic aquí|feu clic aquí|clica aquí|continua|continuar|següent',
  once: "d'un sol ús|d'ús únic|únic*",
};
