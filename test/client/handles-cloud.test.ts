import { authenticatorSuite } from './authenticator-suite.ts';
import { contentSuite } from './content-suite.ts';
import { mailboxSuite } from './mailbox-suite.ts';
import { testsOf } from './modes.ts';
import { webhookSuite } from './webhook-suite.ts';

const test = testsOf('cloud');
mailboxSuite(test);
contentSuite(test);
authenticatorSuite(test);
webhookSuite(test);
