import type { Language } from './language.ts';

export const malay: Language = {
  tag: 'ms',
  name: 'Malay',
  code: 'kod|pin|token',
  oneTime:
    'kod keselamatan|kod sekali guna|kod pengaktifan|kata laluan sekali guna|kod otp|kod akses|kod tac|tac|sekali guna|sekali sahaja|satu kali guna',
  password: 'kata laluan',
  verify: 'sahkan|pengesahan|mengesahkan|aktifkan|pengaktifan|mengaktifkan',
  signIn: 'log masuk|daftar',
  reset: 'tetapkan semula|set semula|menetapkan semula|kata laluan baharu|kata laluan baru|lupa|tetap semula',
  invite: 'jemput*|sertai|menerima jemputan|terima jemputan',
  unsubscribe: 'nyahlanggan|berhenti melanggan',
  enter: 'masukkan|gunakan|taip',
  expires: 'tamat|sah',
  number: 'pesanan|invois|nombor pelanggan|poskod|telefon|jumlah|rujukan|akaun',
  offer: 'diskaun|kupon|baucar',
  unlock: 'buka kunci|membuka kunci|nyahsekat',
  decline: 'tolak|menolak',
  look: 'semak*|lihat',
  signUp: 'daftar|mendaftar*|pendaftaran*|cipta akaun|buka akaun',
  link: 'pautan*',
  account: 'akaun*|pengguna*',
  address: 'emel*|e-mel*',
  or: 'atau',
  here: 'di sini|klik di sini|teruskan|seterusnya',
  is: 'ialah|adalah',
};
