import type { Language } from './language.ts';

export const french: Language = {
  code: 'code|codes|pin|jeton',
  oneTime:
    "code de verification|code de sécurité|code d'accès|code de récupération|code à usage unique|mot de passe à usage unique|mot de passe unique|code secret|code temporaire|code otp|jeton otp",
  password: 'mot de passe',
  verify: 'vérifi*|confirm*|activer|activez|activation|activé*|valid*|authentifi*|double authentification',
  signIn: "connex*|connect*|identifier|inscription|s'inscrire",
  reset:
    'réinitialis*|reinitialis*|mot de passe oublié|nouveau mot de passe|changer votre mot de passe|modifier votre mot de passe|récupération|récupérer votre mot de passe|récupérer le mot de passe|mot de passe perdu|changer de mot de passe|changement de mot de passe|modification de votre mot de passe|changer le mot de passe',
  invite: 'invit*|rejoindre|rejoignez|accepter|acceptez|rejoins|rejoign*',
  unsubscribe:
    'désabonn*|désinscri*|se désinscrire|paramètres de notification*|préférences de notification*|ne plus recevoir|cesser de recevoir|arrêter de recevoir',
  enter:
    'entrer|entrez|saisir|saisissez|utiliser|utilisez|utilise|introduire|introduisez|renseigner|taper|tapez|indiquez',
  expires: 'expire*|valable|valide',
  number:
    'commande*|facture*|référence*|numéro client|numéro de client|numéro de suivi|code client|compte|dossier|code postal|téléphone*|tél|siret|siren|rcs|montant|colis|réservation*|total|série|adhérent|code erreur|code-barres|chambre|se terminant par|code barre*|code-barre*',
  offer:
    "code promo*|code de parrainage|bon d'achat|réduction|carte cadeau|remise|chèque cadeau|chèque-cadeau|chèques cadeaux",
  unlock: 'déverrouill*|débloqu*',
  decline: 'déclin*|refus*|rejet*|révoqu*',
  look: 'consult*|voir',
  signUp: 'inscri*|créer un compte|créer mon compte|créer votre compte|enregistr*',
  link: 'lien|liens',
  account: 'compte*|utilisateur*|membre*',
  address: 'mail*|courriel*|messagerie',
  or: 'ou',
  here: 'ici|cliquez ici|cliquer ici|cliquez-ici|ce lien|cliquez sur ce lien|continuer|suivant',
  is: 'est|sont',
  numberLabel: 'n°|numéro',
  unit: 'jour|jours|heure|heures',
  travel: 'réservation*',
  contact: 'tél|siret|siren|rcs|cep',
  retired: "a expiré|n'est plus valable",
  purpose: 'commande|compte|réservation',
  once: 'à usage unique|unique|uniques',
};
