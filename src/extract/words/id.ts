import type { Language } from './language.ts';

export const indonesian: Language = {
  code: 'kode|pin|token',
  oneTime:
    'kode otp|kode keamanan|kode akses|kode autentikasi|kode sekali pakai|kata sandi sekali pakai|kode pemulihan',
  password: 'kata sandi|sandi|password',
  verify:
    'verifikasi|memverifikasi|konfirmasi|mengonfirmasi|aktivasi|aktifkan|mengkonfirmasi*|konfirmasikan|aktifasi|mengaktifkan|mengaktifasi|mengaktivasi|validasi|memvalidasi',
  signIn: 'masuk|login|daftar|mendaftar',
  reset:
    'setel ulang|menyetel ulang|atur ulang|mengatur ulang|pengaturan ulang|kata sandi baru|lupa|reset*|ganti kata sandi|ubah kata sandi|mengganti kata sandi|mengubah kata sandi|mereset|memulihkan|pemulihan|ubah sandi|sandi baru',
  invite: 'undang*|diundang|bergabung|gabung|menerima undangan|terima undangan|mengundang',
  unsubscribe: 'berhenti berlangganan|pengaturan notifikasi|berhenti menerima',
  enter: 'masukkan|gunakan|ketik|isi',
  expires: 'kedaluwarsa|berlaku',
  number:
    'pesanan|faktur|nomor pelanggan|resi|kode pos|telepon|total|jumlah|referensi|rekening|kode pelanggan|kode produk|pemesanan',
  offer: 'kode promo|diskon|kupon|voucher',
  unlock: 'membuka kunci|buka kunci|membuka blokir',
  decline: 'tolak|menolak|ditolak',
  look: 'tinjau*|periksa',
  signUp: 'daftar|mendaftar*|pendaftar*|registrasi*|terdaftar|buat akun',
  link: 'tautan*|pranala*',
  account: 'akun*|pengguna*',
  address: 'surel*|email*',
  or: 'atau',
  here: 'di sini|disini|klik di sini|klik disini|tekan di sini|lanjutkan|selanjutnya',
  is: 'adalah',
  numberLabel: 'nomor',
  once: 'sekali pakai|satu kali pakai|sekali guna|satu kali',
};
