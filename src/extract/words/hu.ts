import type { Language } from './language.ts';

export const hungarian: Language = {
  code: 'kód*|*kód|*kódot|*kódod|*kódja|*kódját|pin|pin-kód*|token*',
  oneTime:
    'ellenőrző kód*|ellenőrzőkód*|biztonsági kód*|egyszeri kód*|egyszeri jelszó*|aktivációs kód*|azonosító kód*|hozzáférési kód*|jelszó visszaállító kód*',
  password: 'jelsz*',
  verify: 'megerősít*|ellenőriz*|visszaigazol*|aktivál*|hitelesít*|igazol*|érvényesít*|aktiváció*|ellenőrzés*',
  signIn: 'bejelentkez*|belép*|regisztr*',
  reset:
    'visszaállít*|új jelszó*|jelszó módosít*|elfelejt*|jelszóváltoztat*|jelszó-visszaállít*|helyreállít*|jelszócser*',
  invite: 'meghív*|csatlakoz*|elfogad*',
  unsubscribe: 'leiratkoz*|értesítési beállítás*|értesítés beállítás*|feliratkozás lemond*',
  enter: 'írja be|írd be|adja meg|add meg|használja|használd|megadásával|beírásával|üsse be',
  expires: 'lejár*|érvényes*',
  number:
    'rendelés*|számla*|ügyfélszám*|ügyfélkód*|csomagkövetési szám*|irányítószám*|telefon*|tel|összeg*|összesen|hivatkozás*|foglalás*|sorozatszám*|adószám*|termékkód*|vonalkód*',
  offer: 'kupon*|kedvezmény*|ajándékkártya*|akciós kód*|utalvány*',
  unlock: 'felold*|feloldás*',
  decline: 'elutasít*|visszautasít*|elutasítás*',
  look: 'ellenőriz*|megtekint*',
  signUp: 'regiszt*|regisztr*|fiók létrehoz*',
  link: 'hivatkozás*|link*',
  account: 'fiók*|felhasználó*|hozzáférés*',
  address: 'posta*|levél*|e-mail*',
  or: 'vagy',
  here: 'itt|ide|kattintson ide|kattints ide|tovább|folytatás',
  numberLabel: 'szám|száma',
  once: 'egyszeri|egyszer használatos*|egyszer használható*',
};
