import type { Language } from './language.ts';

export const turkish: Language = {
  code: 'kod|kodu|kodunuz*|kodun*|kodlar*|şifre*|pin|token',
  oneTime: 'güvenlik kod*|onay kod*|guvenlik kod*|giris kod*|şifreniz|kurtarma kod*|kimlik doğrulama kod*|otp',
  password: 'parola*|şifre*|sifre*',
  verify: 'doğrula*|dogrula*|onayla*|etkinleştir*|aktivasyon*|aktifleştir*|teyit*|aktif hale|aktif et*',
  signIn: 'giriş*|oturum aç*|kayıt ol*|üye ol*|giriş yapın|giriş yap*|kaydol*',
  reset:
    'sıfırla*|yenile*|yeni şifre*|yeni parola*|unut*|şifre değiştir*|şifreni değiştir*|şifrenizi değiştir*|şifresini değiştir*|parola değiştir*|parolanı değiştir*|parolanızı değiştir*',
  invite: 'davet*|katıl*|kabul et*|çağrısı|çağrıldı*|çağırd*|çağırıyor',
  unsubscribe:
    'abonelikten çık*|üyelikten çık*|bildirim ayar*|almak istemiyorsan*|almayı durdur*|aboneliği iptal|aboneliğinizi iptal|abonelikten ayrıl*',
  enter: 'girin|giriniz|kullanın|kullanınız|yazın|giriş yapın',
  expires: 'geçerli*|süresi dol*',
  number:
    'sipariş*|fatura*|müşteri no|müşteri numarası|müşteri kod*|takip|takip numarası|posta kod*|telefon*|tel|tutar*|toplam|rezervasyon*|hesap no|referans*|seri no|ürün kod*|stok kodu',
  offer: 'promosyon kod*|indirim*|kupon*|hediye kart*|hediye çek*',
  unlock: 'kilidi*|kilit aç*|kilidini*|engelini kaldır*',
  decline: 'reddet*|reddedi*|geri çevir*',
  look: 'incele*|gözden geçir*',
  signUp: 'kayıt*|kayd*|üye ol*|hesap aç*|hesap oluştur*',
  link: 'bağlantı*|link*|linke',
  account: 'hesap*|hesab*|kullanıcı*|üye*',
  address: 'posta*|e-posta*|mail*',
  or: 'veya|ya da',
  here: 'buraya|burada|buraya tıklayın|buraya tıkla|burayı tıklayın|tıklayın|tıkla|devam|devam et|ileri',
  is: 'dir',
  money: 'tl',
  travel: 'rezervasyon*',
  purpose: 'sipariş',
  once: 'tek kullanımlık*|tek seferlik*',
};
