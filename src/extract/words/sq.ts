import type { Language } from './language.ts';

export const albanian: Language = {
  code: 'kod|kodi|kodin|kodit|pin',
  oneTime:
    'kodi i verifikimit|kodin e verifikimit|kodi i konfirmimit|kodi i sigurisë|kod njëpërdorimësh|fjalëkalim njëpërdorimësh|kodi i hyrjes',
  password: 'fjalëkalim*',
  verify: 'verifik*|konfirm*|aktiviz*|ripoho*|ripohim*|vërtet*|aktivo*',
  signIn: 'hyni|hyrje*|identifik*|regjistr*|kyç*',
  reset: 'rivendos*|rikthe*|fjalëkalim të ri|harruar|ricakt*|ndryshimin e fjalëkalimit|ndryshoni fjalëkalimin',
  invite: 'ftes*|ftu*|bashkohu*|prano*',
  unsubscribe: 'çabon*|çregjistro*',
  enter: 'vendosni|shkruani|përdorni|fut*',
  expires: 'skadon|vlefshëm',
  number: 'porosi*|fatur*|telefon*|kodi postar|shuma|totali|llogari*',
  offer: 'zbritje*|kupon*',
  unlock: 'zhblloko*|shkyç*|çblloko*',
  decline: 'refuzo*|hidh poshtë',
  look: 'shqyrto*|shiko*',
  signUp: 'regjistr*|regjistro*|krijo llogari',
  link: 'link*|lidhjen|lidhjes',
  account: 'llogari*|përdorues*',
  address: 'email*|e-mail*|posta|postë*',
  or: 'ose',
  here: 'këtu|kliko këtu|klikoni këtu|vazhdo|vazhdoni|tjetër',
  numberLabel: 'numri',
  once: 'njëpërdorimësh*|një përdorimi',
};
