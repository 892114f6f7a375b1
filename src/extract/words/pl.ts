import type { Language } from './language.ts';

export const polish: Language = {
  code: 'kod|kodu|kodem|kody|kodów|pin|token*',
  oneTime:
    'kod bezpieczeństwa|kod jednorazowy|kod dostępu|kod resetujący|hasło jednorazowe|jednorazowy kod|jednorazowe hasło|token jednorazowy|kod autoryzacyjny|hasło do autoryzacji|hasło autoryzacyjne|hasło do potwierdzenia',
  password: 'hasł*',
  verify: 'weryfik*|zweryfik*|potwierd*|aktyw*|uwierzytelni*|zatwierd*',
  signIn: 'zaloguj*|logowani*|zalogować|rejestr*|zarejestr*',
  reset:
    'resetow*|reset hasła|zresetow*|odzysk*|nowe hasło|zmiana hasła|zmiany hasła|zmień hasło|przypomni*|zapomni*|zmienić hasło|ustaw nowe|ustawić nowe|przywróc*|przywrac*',
  invite: 'zapros*|zaprasz*|dołącz*|akceptuj|zaakcept*|przyjmij',
  unsubscribe:
    'wypisz*|rezygnuj*|anuluj subskrypcję|ustawieniami powiadomień|ustawienia powiadomień|ustawień powiadomień|przestać otrzymywać|nie otrzymywać|wypisać|rezygnow*',
  enter: 'wpisz*|wprowadź*|podaj*|użyj|wprowadzając|użycie',
  expires: 'wygas*|ważny|ważne',
  number:
    'zamówieni*|faktur*|numer klienta|kod klienta|kod produktu|kod pocztowy|przesyłk*|telefon*|tel|kwot*|razem|suma|nip|regon|rezerwacj*|numer sprawy|konto|rachunek|numer seryjny|umow*|zgłoszeni*',
  offer: 'kod promocyjny|rabat*|kupon*|zniżk*|karta podarunkowa',
  unlock: 'odblok*',
  decline: 'odrzu*|odmow*|odmów*',
  look: 'sprawdz*|przejrz*',
  signUp: 'rejestr*|zarejestr*|zakładanie konta|załóż konto|utwórz konto',
  link: 'link*|odnośnik*|odsyłacz*|łącze*',
  account: 'konto|konta|kont|koncie|rachunek|użytkownik*',
  address: 'poczt*|mail*|e-mail*',
  or: 'lub|albo',
  here: 'tutaj|tu|kliknij tutaj|kliknij tu|ten link|kontynuuj|dalej',
  is: 'jest',
  numberLabel: 'numer',
  money: 'zł',
  contact: 'nip|regon',
  retired: 'wygasł',
  purpose: 'zamówienie|zamówienia|konta',
  once: 'jednorazow*',
};
