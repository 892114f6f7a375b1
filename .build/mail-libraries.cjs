// The libraries that read mail. Each runs when it is called, because most commands and many mails need none.

exports.libmime = () => require('libmime');
exports.mailparser = () => require('mailparser');
/** The modules of mailparser, in parts, so that the event loop can have turns between them. */
exports.parts = [() => require('iconv-lite'), exports.libmime, () => require('@zone-eu/mailsplit'), exports.mailparser];
