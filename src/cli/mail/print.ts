import { chooseCode, chooseLink } from '../../client/mailbox/choose.ts';
