#!/usr/bin/env node
// What starts Mailpit by its name starts mailcap with Mailpit's variables and flags. The program looks at this file's name.
require('./mailcap.js');
