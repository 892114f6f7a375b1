import type { Language } from './language.ts';

export const latvian: Language = {
  code: 'kods|kodu|koda|kodam|pin|*kods',
  oneTime:
    'apstiprinājuma kod*|verifikācijas kod*|drošības kod*|pieteikšanās kod*|aktivizācijas kod*|autentifikācijas kod*',
  password: 'parol*',
  verify: 'apstiprin*|verific*|aktiviz*|pārbaud*|aktivē*|aktivē|apliecin*',
  signIn: 'pieteik*|pieslēg*|ielogo*|reģistr*|pieraksti*|ieiet',
  reset: 'atiestat*|atjaunot parol*|paroles atjaun*|jaunu parol*|jauna parole|aizmirs*|nomainīt parol*|paroles maiņ*',
  invite: 'uzaicin*|ielūg*|pievieno*|pieņemt',
  unsubscribe: 'atrakst*',
  enter: 'ievadi*|ievadiet|izmantoj*|lietojiet',
  expires: 'derīgs|beigsies|termiņ*',
  number:
    'pasūtījum*|rēķin*|klienta numurs|sūtījuma numurs|pasta indekss|tālrun*|summa|kopā|atsauc*|konta numurs|sērijas numurs',
  offer: 'atlaižu kod*|atlaid*|kupon*|dāvanu kart*|vaučer*',
  unlock: 'atbloķ*|atslēg*',
  decline: 'noraid*|atteik*',
  look: 'pārbaud*|skat*',
  signUp: 'reģistr*|piereģistr*|izveidot kontu',
  link: 'saite*|saiti|saites',
  account: 'kont*|lietotāj*',
  address: 'e-past*|pastu|pasts|pasta',
  or: 'vai',
  here: 'šeit|noklikšķiniet šeit|klikšķiniet šeit|spiediet šeit|turpināt|tālāk',
  is: 'ir',
  numberLabel: 'numurs',
  once: 'vienreizēj*',
};
