#!/usr/bin/env node
// What starts MailDev by its name starts mailcap with MailDev's variables and flags. The program looks at this file's name.
require('./mailcap.js');
