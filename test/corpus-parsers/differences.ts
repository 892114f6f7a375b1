type Value = 'subject' | 'from' | 'toAndCc' | 'text' | 'html';
type Differences = Readonly<Record<string, Partial<Record<Value, string>>>>;

const WINDOWS_1252 = 'ISO-8859-1 is read as windows-1252, as browsers do (Encoding Standard 4.2)';
const ASCII_8BIT = 'bytes beyond ASCII are read as UTF-8 or Windows-1252 (docs/contract.md#the-parts-of-a-mail)';
const META = 'it does not look for <meta charset> (HTML 13.2.3.2)';
const LAST = 'it takes the first of two (RFC 8621 4.1.2: the last)';
const SPLIT = 'it decodes adjacent encoded words one by one (RFC 2047 6.2 allows no split, senders split anyway)';
const NO_COMMA = 'it reads one of two names without a comma between them';
const DISPOSITION = 'a disposition that is not known is an attachment (RFC 2183 2.8)';
const SPACE_COLON = 'it reads no white space before the colon of a header (RFC 5322 4.5)';
const QP_SPACE = 'it keeps a soft line break with white space behind it (RFC 2045 6.7: white space is removed first)';
const BASE64 = 'it reads no base64 with wrong padding (RFC 2045 6.8: other characters are ignored)';
const NAMED = 'it takes a text with a name behind the first part for text (RFC 8621 4.1.4: attachment)';
const COMMENT = 'it keeps comments in an address (RFC 5322 3.2.2)';
const FLOWED = 'it joins no flowed lines (RFC 3676 4.1)';
const QUOTED_BOUNDARY = 'it does not read a boundary with a character that needs quotes';
const NO_BOUNDARY = 'it drops what no boundary divides';
const NO_BREAK = 'it waits for an empty line before the first boundary';
const TWO_HTML = 'mailcap puts <br/> between two parts of HTML';
const BIG5 = 'damaged Big5 has several readings';
const LATIN_1 = 'bytes of a header that are no UTF-8 are read as Latin-1 (docs/contract.md)';
const NO_ADDRESS = 'it is no address, and each keeps another part of it';
const FIRST_FROM = 'it reads one of the authors (RFC 5322 3.6.2: a list)';
const NO_HEADER = 'it reads a text without a header as a header';

/** The values that a parser reads in another way, by parser, mail and value, with the reason. */
export const DIFFERENCES: Readonly<Record<string, Differences>> = {
  python: {
    'enmime/testdata__low-quality__bad-header-start.raw': { from: 'it ends the header at the first damaged line' },
    'enmime/testdata__low-quality__incorrect-charset.raw': { text: ASCII_8BIT },
    'enmime/testdata__mail__malformed-multiple-address-header-values.raw': { from: NO_COMMA },
    'enmime/testdata__mail__mime-bad-content-transfer-encoding.raw': {
      text: 'it keeps what is no base64 (RFC 2045 6.8: other characters are ignored)',
    },
    'enmime/testdata__mail__mime-mixed-related.raw': { html: TWO_HTML },
    'enmime/testdata__mail__multipart-wo-boundary.raw': { text: NO_BOUNDARY },
    'enmime/testdata__mail__non-mime-missing-charset.raw': { html: META },
    'enmime/testdata__parts__chardet-fail.raw': { text: ASCII_8BIT },
    'enmime/testdata__parts__chardet-success-big-5.raw': { text: ASCII_8BIT },
    'enmime/testdata__parts__chardet-success-iso-8859-1.raw': { text: ASCII_8BIT },
    'enmime/testdata__parts__extra-base64-character.raw': { text: BASE64, html: BASE64 },
    'enmime/testdata__parts__multi-malformed.raw': {
      text: 'it takes the text of a part without an empty line before it for the body (RFC 2046 5.1.1: a header)',
    },
    'reports/097-link-flowed-delsp.eml': { text: FLOWED },
    'reports/121-qp-space-after-equals.eml': { text: QP_SPACE },
    'reports/123-base64-padding-in-the-middle.eml': { text: 'it ends base64 at the first padding' },
    'reports/135-shift-jis-split-character.eml': { subject: SPLIT },
    'reports/137-gb2312-split-character.eml': { subject: SPLIT, text: 'GB2312 is read as GBK (Encoding Standard 4.2)' },
    'reports/143-display-name-comma-unquoted.eml': { from: 'it takes words without an @ for an address' },
    'ruby-mail/attachment_emails__attachment_pdf_non_ascii.eml': { text: WINDOWS_1252 },
    'ruby-mail/attachment_emails__attachment_pdf_non_ascii_lf.eml': { text: WINDOWS_1252 },
    'ruby-mail/error_emails__content_transfer_encoding_7-bit.eml': { text: WINDOWS_1252, html: WINDOWS_1252 },
    'ruby-mail/error_emails__content_transfer_encoding_empty.eml': { html: BIG5 },
    'ruby-mail/error_emails__content_transfer_encoding_plain.eml': { text: ASCII_8BIT },
    'ruby-mail/error_emails__invalid_subject_characters.eml': {
      subject: LATIN_1,
    },
    'ruby-mail/error_emails__missing_body.eml': { toAndCc: NO_ADDRESS },
    'ruby-mail/error_emails__multiple_invalid_content_dispositions.eml': { html: DISPOSITION },
    'ruby-mail/mime_emails__raw_email_with_binary_encoded.eml': { subject: LAST },
    'ruby-mail/mime_emails__raw_email_with_illegal_boundary.eml': {
      text: QUOTED_BOUNDARY,
      html: QUOTED_BOUNDARY,
    },
    'ruby-mail/mime_emails__raw_email_with_multipart_mixed_quoted_boundary.eml': { subject: LAST },
    'ruby-mail/plain_emails__mix_caps_content_type.eml': { from: 'it takes the words before an address for its part' },
    'ruby-mail/plain_emails__raw_email5.eml': { text: ASCII_8BIT },
    'ruby-mail/plain_emails__raw_email6.eml': { text: ASCII_8BIT },
    'ruby-mail/plain_emails__raw_email_bad_time.eml': {
      text: QUOTED_BOUNDARY,
      html: QUOTED_BOUNDARY,
    },
    'ruby-mail/plain_emails__raw_email_incorrect_header.eml': {
      subject: NO_HEADER,
      from: NO_HEADER,
      toAndCc: NO_HEADER,
      text: NO_HEADER,
    },
    'ruby-mail/plain_emails__raw_email_multiple_from.eml': { from: NO_COMMA, toAndCc: NO_COMMA },
    'ruby-mail/plain_emails__raw_email_with_at_display_name.eml': {
      toAndCc: 'it takes a display name with an @ for the address',
    },
    'ruby-mail/rfc2822__example13.eml': { subject: SPACE_COLON, from: SPACE_COLON, text: SPACE_COLON },
    'ruby-mail/rfc6532__utf8_headers.eml': {
      from: 'it reads no UTF-8 in an address (RFC 6532 3.2)',
      toAndCc: 'it reads no UTF-8 in an address (RFC 6532 3.2)',
    },
  },
  go: {
    'enmime/testdata__mail__mime-mixed-related.raw': { html: TWO_HTML },
    'enmime/testdata__mail__non-mime-missing-charset.raw': { html: META },
    'enmime/testdata__parts__chardet-fail.raw': { text: ASCII_8BIT },
    'enmime/testdata__parts__chardet-success-big-5.raw': { text: ASCII_8BIT },
    'enmime/testdata__parts__chardet-success-iso-8859-1.raw': { text: ASCII_8BIT },
    'reports/097-link-flowed-delsp.eml': { text: FLOWED },
    'ruby-mail/attachment_emails__attachment_pdf_non_ascii.eml': { text: WINDOWS_1252 },
    'ruby-mail/attachment_emails__attachment_pdf_non_ascii_lf.eml': { text: WINDOWS_1252 },
    'ruby-mail/error_emails__bad_encoded_subject.eml': { subject: 'it decodes no word of a charset that is not known' },
    'ruby-mail/error_emails__content_transfer_encoding_7-bit.eml': { text: WINDOWS_1252, html: WINDOWS_1252 },
    'ruby-mail/error_emails__invalid_subject_characters.eml': { subject: LATIN_1 },
  },
  'postal-mime': {
    'enmime/testdata__low-quality__incorrect-charset.raw': { text: ASCII_8BIT },
    'enmime/testdata__mail__erroneous.raw': { text: NO_HEADER },
    'enmime/testdata__mail__inlinemultipart.raw': { text: NAMED },
    'enmime/testdata__mail__malformed-multiple-address-header-values.raw': { from: NO_COMMA, text: NAMED },
    'enmime/testdata__mail__mime-mixed-related.raw': { html: TWO_HTML },
    'enmime/testdata__mail__multipart-wo-boundary.raw': { text: NO_BOUNDARY },
    'enmime/testdata__mail__non-mime-missing-charset.raw': { html: META },
    'enmime/testdata__mail__qp-utf8-header-no-break.raw': { from: FIRST_FROM, text: NO_BREAK },
    'enmime/testdata__mail__qp-utf8-header-recursed.raw': { from: FIRST_FROM },
    'enmime/testdata__mail__qp-utf8-header.raw': { from: FIRST_FROM },
    'enmime/testdata__parts__chardet-fail.raw': { text: ASCII_8BIT },
    'enmime/testdata__parts__empty-ctype-bad-content.raw': {
      text: 'it has an attachment where a type is no type (RFC 2045 5.2: text)',
    },
    'enmime/testdata__parts__nestedmulti.raw': { text: NAMED },
    'enmime/testdata__parts__similar-boundary.raw': { html: 'it adds HTML that it makes of a text' },
    'reports/107-no-blank-line-before-boundary.eml': { text: NO_BREAK },
    'reports/121-qp-space-after-equals.eml': { text: QP_SPACE },
    'reports/139-b-word-split-character.eml': { subject: SPLIT },
    'reports/143-display-name-comma-unquoted.eml': { from: 'it reads the name before the comma alone' },
    'ruby-mail/attachment_emails__attachment_message_rfc822.eml': {
      text: 'it pours an attached mail into the text (RFC 8621 4.1.4: attachment)',
    },
    'ruby-mail/attachment_emails__attachment_pdf_non_ascii.eml': { text: WINDOWS_1252 },
    'ruby-mail/attachment_emails__attachment_pdf_non_ascii_lf.eml': { text: WINDOWS_1252 },
    'ruby-mail/error_emails__content_transfer_encoding_7-bit.eml': { text: WINDOWS_1252, html: WINDOWS_1252 },
    'ruby-mail/error_emails__content_transfer_encoding_empty.eml': { html: BIG5 },
    'ruby-mail/error_emails__content_transfer_encoding_plain.eml': { text: ASCII_8BIT },
    'ruby-mail/error_emails__invalid_subject_characters.eml': { subject: LATIN_1 },
    'ruby-mail/error_emails__missing_body.eml': { toAndCc: NO_ADDRESS },
    'ruby-mail/error_emails__multiple_invalid_content_dispositions.eml': { html: DISPOSITION },
    'ruby-mail/mime_emails__raw_email_with_binary_encoded.eml': { subject: LAST },
    'ruby-mail/mime_emails__raw_email_with_multipart_mixed_quoted_boundary.eml': { subject: LAST },
    'ruby-mail/plain_emails__raw_email10.eml': { text: ASCII_8BIT },
    'ruby-mail/plain_emails__raw_email6.eml': { text: ASCII_8BIT },
    'ruby-mail/plain_emails__raw_email_multiple_from.eml': { from: NO_COMMA, toAndCc: NO_COMMA },
    'ruby-mail/plain_emails__raw_email_with_at_display_name.eml': { from: FIRST_FROM },
    'ruby-mail/rfc2822__example10.eml': { from: COMMENT, toAndCc: COMMENT },
    'ruby-mail/rfc2822__example11.eml': { toAndCc: 'it reads no route and no spaced dot (RFC 5322 4.4)' },
    'ruby-mail/rfc2822__example13.eml': { from: COMMENT },
  },
};
