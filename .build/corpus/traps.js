// Writes traps.jsonl: mails with numbers that look like codes and are none. They were written for this corpus, each word by
// its meaning in its language. The numbers come from a fixed seed.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUT } from './project.js';

let count = 0;
const number = (below) => createHash('sha256').update(`traps ${count++}`).digest().readUInt32BE(0) % below;
const digits = (length) => Array.from({ length }, (_, index) => (index === 0 ? 1 + number(9) : number(10))).join('');
const price = () => `${1 + number(2999)}.${String(number(100)).padStart(2, '0')}`;
const coupon = () => ['SAVE', 'WINTER', 'HELLO', 'SPRING', 'BLACK'][number(5)] + (10 + number(60));

// order, order number, invoice, customer number, total, phone, tracking number, coupon code, use it at the checkout, thanks, reference, post code
const WORDS = {
  en: 'Order|Order number|Invoice|Customer number|Total|Phone|Tracking number|Discount code|Use it at the checkout and save 20%.|Thank you for your order|Reference|Postal code',
  de: 'Bestellung|Bestellnummer|Rechnung|Kundennummer|Summe|Telefon|Sendungsnummer|Gutscheincode|An der Kasse eingeben und 20 % sparen.|Danke für Ihre Bestellung|Aktenzeichen|Postleitzahl',
  fr: 'Commande|Numéro de commande|Facture|Numéro de client|Total|Téléphone|Numéro de suivi|Code promo|À saisir au paiement pour économiser 20 %.|Merci pour votre commande|Référence|Code postal',
  es: 'Pedido|Número de pedido|Factura|Número de cliente|Total|Teléfono|Número de seguimiento|Código de descuento|Úsalo al pagar y ahorra un 20 %.|Gracias por tu pedido|Referencia|Código postal',
  it: 'Ordine|Numero ordine|Fattura|Numero cliente|Totale|Telefono|Numero di tracciamento|Codice sconto|Inseriscilo alla cassa e risparmia il 20%.|Grazie per il tuo ordine|Riferimento|CAP',
  pt: 'Encomenda|Número da encomenda|Fatura|Número de cliente|Total|Telefone|Número de rastreio|Código promocional|Use na finalização e poupe 20%.|Obrigado pela sua encomenda|Referência|Código postal',
  nl: 'Bestelling|Bestelnummer|Factuur|Klantnummer|Totaal|Telefoon|Trackingnummer|Kortingscode|Vul hem in bij het afrekenen en bespaar 20%.|Bedankt voor je bestelling|Referentie|Postcode',
  sv: 'Order|Ordernummer|Faktura|Kundnummer|Summa|Telefon|Spårningsnummer|Rabattkod|Ange den i kassan och spara 20 %.|Tack för din beställning|Referens|Postnummer',
  da: 'Ordre|Ordrenummer|Faktura|Kundenummer|I alt|Telefon|Sporingsnummer|Rabatkode|Brug den ved kassen og spar 20 %.|Tak for din bestilling|Reference|Postnummer',
  nb: 'Bestilling|Ordrenummer|Faktura|Kundenummer|Sum|Telefon|Sporingsnummer|Rabattkode|Bruk den i kassen og spar 20 %.|Takk for bestillingen|Referanse|Postnummer',
  fi: 'Tilaus|Tilausnumero|Lasku|Asiakasnumero|Yhteensä|Puhelin|Seurantanumero|Alennuskoodi|Syötä se kassalla ja säästä 20 %.|Kiitos tilauksestasi|Viite|Postinumero',
  pl: 'Zamówienie|Numer zamówienia|Faktura|Numer klienta|Razem|Telefon|Numer przesyłki|Kod rabatowy|Wpisz go w kasie i oszczędź 20%.|Dziękujemy za zamówienie|Numer sprawy|Kod pocztowy',
  cs: 'Objednávka|Číslo objednávky|Faktura|Číslo zákazníka|Celkem|Telefon|Číslo zásilky|Slevový kód|Zadejte jej u pokladny a ušetřete 20 %.|Děkujeme za objednávku|Variabilní symbol|PSČ',
  sk: 'Objednávka|Číslo objednávky|Faktúra|Zákaznícke číslo|Spolu|Telefón|Číslo zásielky|Zľavový kód|Zadajte ho pri pokladni a ušetrite 20 %.|Ďakujeme za objednávku|Variabilný symbol|PSČ',
  hu: 'Rendelés|Rendelésszám|Számla|Ügyfélszám|Összesen|Telefon|Csomagkövetési szám|Kuponkód|Adja meg a pénztárnál, és spóroljon 20%-ot.|Köszönjük a rendelését|Hivatkozás|Irányítószám',
  ro: 'Comandă|Număr comandă|Factură|Număr client|Total|Telefon|Număr AWB|Cod de reducere|Folosește-l la finalizare și economisește 20%.|Mulțumim pentru comandă|Referință|Cod poștal',
  hr: 'Narudžba|Broj narudžbe|Račun|Broj kupca|Ukupno|Telefon|Broj pošiljke|Kod za popust|Unesite ga na blagajni i uštedite 20 %.|Hvala na narudžbi|Poziv na broj|Poštanski broj',
  el: 'Παραγγελία|Αριθμός παραγγελίας|Τιμολόγιο|Αριθμός πελάτη|Σύνολο|Τηλέφωνο|Αριθμός αποστολής|Κωδικός έκπτωσης|Χρησιμοποιήστε τον στο ταμείο και κερδίστε 20%.|Ευχαριστούμε για την παραγγελία|Αναφορά|Ταχυδρομικός κώδικας',
  ru: 'Заказ|Номер заказа|Счёт|Номер клиента|Итого|Телефон|Трек-номер|Промокод|Введите его при оплате и сэкономьте 20%.|Спасибо за заказ|Номер обращения|Почтовый индекс',
  uk: 'Замовлення|Номер замовлення|Рахунок|Номер клієнта|Разом|Телефон|Номер відстеження|Промокод|Введіть його під час оплати й заощадьте 20%.|Дякуємо за замовлення|Номер звернення|Поштовий індекс',
  tr: 'Sipariş|Sipariş numarası|Fatura|Müşteri numarası|Toplam|Telefon|Takip numarası|İndirim kodu|Ödeme sırasında girin, %20 tasarruf edin.|Siparişiniz için teşekkürler|Referans|Posta kodu',
  ja: '注文|注文番号|請求書|お客様番号|合計|電話番号|追跡番号|クーポンコード|お支払い時に入力すると20%割引になります。|ご注文ありがとうございます|受付番号|郵便番号',
  ko: '주문|주문번호|청구서|고객번호|합계|전화번호|운송장 번호|할인 코드|결제 시 입력하면 20% 할인됩니다.|주문해 주셔서 감사합니다|접수번호|우편번호',
  'zh-Hans':
    '订单|订单号|发票|客户编号|合计|电话|快递单号|优惠码|结账时输入即可享受八折优惠。|感谢您的订购|工单编号|邮政编码',
  'zh-Hant':
    '訂單|訂單編號|發票|客戶編號|合計|電話|貨運單號|優惠碼|結帳時輸入即可享八折優惠。|感謝您的訂購|案件編號|郵遞區號',
  ar: 'الطلب|رقم الطلب|الفاتورة|رقم العميل|المجموع|الهاتف|رقم التتبع|كود الخصم|استخدمه عند الدفع ووفر 20%.|شكرا لطلبك|المرجع|الرمز البريدي',
  he: 'הזמנה|מספר הזמנה|חשבונית|מספר לקוח|סכום|טלפון|מספר משלוח|קוד קופון|הזינו בקופה וחסכו 20%.|תודה על ההזמנה|אסמכתא|מיקוד',
  fa: 'سفارش|شماره سفارش|فاکتور|شماره مشتری|جمع کل|تلفن|شماره پیگیری|کد تخفیف|هنگام پرداخت وارد کنید و ۲۰٪ تخفیف بگیرید.|از سفارش شما سپاسگزاریم|شماره مرجع|کد پستی',
  hi: 'ऑर्डर|ऑर्डर नंबर|चालान|ग्राहक संख्या|कुल|फ़ोन|ट्रैकिंग नंबर|कूपन कोड|भुगतान के समय डालें और 20% बचाएं।|आपके ऑर्डर के लिए धन्यवाद|संदर्भ|पिन कोड',
  th: 'คำสั่งซื้อ|หมายเลขคำสั่งซื้อ|ใบแจ้งหนี้|หมายเลขลูกค้า|ยอดรวม|โทรศัพท์|หมายเลขพัสดุ|รหัสส่วนลด|ใช้ตอนชำระเงินแล้วลด 20%|ขอบคุณสำหรับคำสั่งซื้อ|หมายเลขอ้างอิง|รหัสไปรษณีย์',
  vi: 'Đơn hàng|Mã đơn hàng|Hóa đơn|Mã khách hàng|Tổng cộng|Điện thoại|Mã vận đơn|Mã giảm giá|Nhập khi thanh toán để giảm 20%.|Cảm ơn bạn đã đặt hàng|Tham chiếu|Mã bưu điện',
  id: 'Pesanan|Nomor pesanan|Faktur|Nomor pelanggan|Total|Telepon|Nomor resi|Kode diskon|Masukkan saat membayar dan hemat 20%.|Terima kasih atas pesanan Anda|Referensi|Kode pos',
  et: 'Tellimus|Tellimuse number|Arve|Kliendinumber|Kokku|Telefon|Jälgimisnumber|Sooduskood|Sisestage see kassas ja säästke 20%.|Täname tellimuse eest|Viitenumber|Postiindeks',
  lt: 'Užsakymas|Užsakymo numeris|Sąskaita|Kliento numeris|Iš viso|Telefonas|Siuntos numeris|Nuolaidos kodas|Įveskite jį mokėdami ir sutaupykite 20 %.|Dėkojame už užsakymą|Nuoroda|Pašto kodas',
  lv: 'Pasūtījums|Pasūtījuma numurs|Rēķins|Klienta numurs|Kopā|Tālrunis|Sūtījuma numurs|Atlaižu kods|Ievadiet to, maksājot, un ietaupiet 20%.|Paldies par pasūtījumu|Atsauce|Pasta indekss',
  bg: 'Поръчка|Номер на поръчка|Фактура|Клиентски номер|Общо|Телефон|Номер на пратка|Код за отстъпка|Въведете го при плащане и спестете 20%.|Благодарим за поръчката|Референция|Пощенски код',
  sl: 'Naročilo|Številka naročila|Račun|Številka stranke|Skupaj|Telefon|Številka pošiljke|Koda za popust|Vnesite jo ob plačilu in prihranite 20 %.|Hvala za naročilo|Sklic|Poštna številka',
  ca: 'Comanda|Número de comanda|Factura|Número de client|Total|Telèfon|Número de seguiment|Codi de descompte|Fes-lo servir en pagar i estalvia un 20 %.|Gràcies per la teva comanda|Referència|Codi postal',
};

const mails = [];
function add(language, subject, { text, html }) {
  mails.push({
    id: `traps-${mails.length + 1}`,
    language,
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    code: null,
    links: [],
  });
}

let turn = 0;
for (const [language, line] of Object.entries(WORDS)) {
  const [order, orderNumber, invoice, customer, total, phone, tracking, couponCode, use, thanks, reference, postCode] =
    line.split('|');
  const [a, b, c] = [digits(6), digits(8), digits(5)];
  add(language, `${order} ${a}`, {
    text: `${thanks}!\n\n${orderNumber}: ${a}\n${customer}: ${c}\n${total}: ${price()} EUR\n${phone}: ${digits(7)}\n${postCode}: ${digits(5)}\n`,
  });
  turn++;
  if (turn % 2 === 0) {
    add(language, tracking, {
      html: `<h2>${tracking}</h2><p style="font-size:24px"><b>${digits(10)}</b></p><p>${order} ${digits(6)}</p><p>© 2026 Example, ${digits(5)} Exampletown</p>`,
    });
    add(language, invoice, {
      text: `${invoice} ${b}\n\n${reference}:\n\n${digits(7)}\n\n${total}\n\n${number(9000) + 1000}\n`,
    });
  } else {
    add(language, invoice, {
      html: `<table><tr><th>${invoice}</th><td>${b}</td></tr><tr><th>${customer}</th><td><b>${digits(6)}</b></td></tr><tr><th>${reference}</th><td>${digits(8)}</td></tr><tr><th>${total}</th><td>${number(9000) + 1000}</td></tr></table>`,
    });
    add(language, thanks, { text: `${thanks}.\n\n${orderNumber}\n${digits(6)}\n\n${tracking}\n${digits(8)}\n` });
  }
  const code = coupon();
  add(
    language,
    couponCode,
    turn % 2 === 0
      ? { text: `${couponCode}: ${code}\n\n${use}\n` }
      : { html: `<h1>−20%</h1><p>${couponCode}</p><p style="font-size:28px"><b>${code}</b></p><p>${use}</p>` },
  );
}

// Facts in tables and lists: an item's name, its tag, its serial number, how many there are, how many there should be.
const FACTS = {
  en: 'Item|Asset tag|Serial|In stock|Minimum',
  de: 'Gegenstand|Inventarkennzeichen|Serie|Bestand|Minimum',
  fr: "Article|Étiquette d'inventaire|Série|En stock|Minimum",
  es: 'Artículo|Etiqueta|Serie|Existencias|Mínimo',
  it: 'Articolo|Etichetta|Seriale|Scorta|Minimo',
  pt: 'Artigo|Etiqueta|Série|Existências|Mínimo',
  nl: 'Artikel|Inventarislabel|Serie|Voorraad|Minimum',
  sv: 'Artikel|Inventariemärkning|Serie|Lager|Minst',
  da: 'Artikel|Inventarmærke|Serie|Lager|Mindst',
  fi: 'Nimike|Laitetunniste|Sarja|Varastossa|Vähintään',
  pl: 'Przedmiot|Etykieta|Seria|Stan|Minimum',
  cs: 'Položka|Štítek|Série|Skladem|Nejméně',
  hu: 'Tétel|Leltári címke|Széria|Készlet|Legalább',
  ro: 'Articol|Etichetă|Serie|Stoc|Minim',
  el: 'Είδος|Ετικέτα|Σειρά|Απόθεμα|Ελάχιστο',
  ru: 'Предмет|Метка|Серия|Остаток|Минимум',
  uk: 'Предмет|Мітка|Серія|Залишок|Мінімум',
  tr: 'Ürün|Demirbaş etiketi|Seri|Stok|En az',
  ja: '品目|資産タグ|シリアル|在庫|最低',
  ko: '품목|자산 태그|시리얼|재고|최소',
  'zh-Hans': '物品|资产标签|序列|库存|最低',
  ar: 'الصنف|الوسم|التسلسل|المخزون|الحد الأدنى',
  mt: 'Oġġett|Tikketta|Serje|Ħażna|Minimu',
  so: 'Shay|Calaamad|Taxane|Kayd|Ugu yar',
  br: "Traezenn|Tikedenn|Rummad|E stok|D'an nebeutañ",
};
let fact = 0;
for (const [language, line] of Object.entries(FACTS)) {
  const [item, tag, serial, stock, least] = line.split('|');
  const [a, b] = [digits(6 + (fact % 3)), digits(8)];
  const rows = [
    [item, 'Laptop'],
    [tag, a],
    [serial, b],
  ];
  if (fact++ % 2 === 0) {
    const list = rows.map((row) => row.join(': ')).join('\n');
    add(language, `${item} Laptop`, { text: `${list}\n` });
  } else {
    const cells = rows.map(([label, value]) => `<tr><td><strong>${label}</strong></td><td>${value}</td></tr>`).join('');
    add(language, `${item} Laptop`, { html: `<table>${cells}</table>` });
  }
  const cell = (name, values) => `<tr>${values.map((value) => `<${name}>${value}</${name}>`).join('')}</tr>`;
  const numbers = ['Toner', digits(4), digits(4)];
  add(language, stock, { html: `<table>${cell('th', [item, stock, least])}${cell('td', numbers)}</table>` });
}

const ENGLISH = [
  ['Save 20% today', 'Save 20% with code SPRING20. Ends Sunday.'],
  ['A gift for you', 'Here is £10 off your next shop.\n\nWELCOME10\n\nEnter the code at checkout. Minimum spend £40.'],
  ['Your voucher', 'Voucher code:\n\nK7QF2MX9\n\nRedeem it by 31/12/2026.'],
  [
    'Your booking is confirmed',
    'Booking reference: XK49PQ\nFlight EX1204 departs 20 Nov 2026 at 14:05 from gate 1207.',
  ],
  [
    'Reset your password',
    'Somebody asked to reset the password of your account 481516. Follow the link:\n\nhttps://app.example.test/reset/48151623',
  ],
  [
    'Your parcel is on its way',
    'Parcel 00340434161094042557 will arrive on 20/11/2026 between 1400 and 1800.\n\n48151623',
  ],
  ['Build 4815 failed', 'Build 4815 failed at commit 9f86d08.\n\nexit code 137'],
  ['Your statement for 2026', 'Balance\n\n48151\n\nAccount ending 4242'],
  ['You have a new follower', 'ada1815 follows you. You now have\n\n1204\n\nfollowers.'],
  ['Your appointment', 'Dear Ada,\n\nroom 1204 on 20 November 2026 at 1530.\nCall 0800 555 0142 to cancel.'],
  ['Meeting', 'Meeting ID: 824 1934 4821\nOne tap mobile: +16465550142'],
  ['Release 20261120', 'Version 20261120 is out.\n\n20261120'],
  ['Weekly report', 'Visits\n\n48213\n\nOrders\n\n1204\n\nRevenue\n\n30991'],
  ['Your table is booked', 'Confirmation number 90211. Table for 4 at 1930 on 20.11.2026.'],
  ['Payment received', 'We received 4815.00 USD. Transaction 99887766. Approval code 004512.'],
  [
    'Two-factor authentication is on',
    'Two-factor authentication was turned on for account 90211 on 20 November 2026. Keep your codes safe.',
  ],
  ['Your code review is due', 'Pull request 4412 waits for you since 20261118. 9021 lines of code changed.'],
  ['Your SIM', 'The number of your card is\n\n8944500102\n\nIt is active from 2026.'],
  ['Meter reading', 'Please send us the reading of meter 48213997. Last reading:\n\n30991'],
  ['Invitation to vote', 'Your member number is 48213. The poll ends on 2026-11-30.'],
  ['Lottery', 'The winning numbers are 4 8 15 16 23 42.'],
  ['Tickets', 'Row 12, seat 1204. Barcode\n\n739201884\n\nDoors open at 1900.'],
  ['Serial number', 'Register your device. Serial number: X9K2-77PQ-1204'],
  [
    'Sign-in from a new device',
    'Firefox 142 on Linux 6124, 20 November 2026 14:05, IP 203.0.113.77. If this was not you, call 5550142.',
  ],
];
for (const [subject, text] of ENGLISH) add('en', subject, { text: `${text}\n` });

writeFileSync(join(OUT, 'traps.jsonl'), mails.map((mail) => `${JSON.stringify(mail)}\n`).join(''));
console.log('traps', mails.length, new Set(mails.map(({ language }) => language)).size);
