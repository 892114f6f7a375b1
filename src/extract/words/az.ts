import type { Language } from './language.ts';

export const azerbaijani: Language = {
  tag: 'az',
  name: 'Azerbaijani',
  code: 'kod|kodu|kodunuz*|kodun*|pin',
  oneTime: 'təhlükəsizlik kod*|birdəfəlik*',
  password: 'şifr*|parol*',
  verify: 'təsdiq*|doğrula*|aktivləşdir*|aktiv et*|aktivasiya*',
  signIn: 'giriş*|daxil ol*|qeydiyyat*',
  reset: 'sıfırla*|bərpa*|yeni şifrə|unut*|şifrəni dəyiş*|şifrənizi dəyiş*|parolu dəyiş*|parolunuzu dəyiş*',
  invite: 'dəvət*|qoşul*|qəbul*',
  unsubscribe: 'abunəlikdən çıx*',
  enter: 'daxil edin|istifadə edin|yazın',
  expires: 'etibarlı*|bitir',
  number: 'sifariş*|faktura*|telefon*|poçt indeksi|məbləğ|cəmi|müştəri nömrəsi',
  offer: 'endirim*|kupon*',
};
