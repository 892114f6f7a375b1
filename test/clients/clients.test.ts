import { describe, expect, test } from 'vitest';
import { byDay } from '../support/night.ts';
import { CONFIGURATIONS, type Program } from './configurations.ts';
import { delivered, sendBy, serverFor } from './deliver.ts';
import { prepare } from './programs.ts';

/** The configurations that install quickly from npm, PyPI, Go and Debian. table.test.ts covers the others. */
const QUICK: Readonly<Partial<Record<Program, RegExp>>> = {
  node: /^(nodemailer|emailjs)/,
  python: /^(smtplib|logging|aiosmtplib|django|flask-mail|yagmail|emails)/,
  go: /./,
  ruby: /^(net-smtp|mail)/,
  php: /^(phpmailer|symfony)/,
  perl: /^perl-net-smtp/,
  shell: /^(curl|swaks|msmtp|mutt)/,
};

describe('mail arrives with the defaults of the client and of the server', () => {
  // By day those that install nothing.
  test.for(byDay(Object.entries(QUICK), ([name]) => name === 'perl' || name === 'shell'))(
    '%s',
    { timeout: 300_000 },
    async ([name, quick], context) => {
      const program = CONFIGURATIONS.find((one) => one.program === name)?.program;
      const runnable = program === undefined ? null : await prepare(program);
      // CI fails where a program is not "installed here" that .ci/programs installs. It installs no Go.
      if (runnable === null) return context.skip(name === 'go' ? 'Go is not here' : `${name} is not installed here`);
      const wanted = CONFIGURATIONS.filter((one) => one.program === name && !one.wantsTls && quick.test(one.name));
      const server = await serverFor('auto');
      const names = wanted.map((one) => one.name);
      const said = await sendBy(runnable, names, server, 'auto');
      const came = await delivered(server);
      // Programs and libraries that are not installed say so in their output.
      const here = names.filter((one) => !MISSING.test(said.get(one) ?? ''));
      expect(here.filter((one) => !came.has(one)).map((one) => `${one}: ${said.get(one)}`)).toEqual([]);
      if (here.length === 0) return context.skip(`none of ${names.join(', ')} is installed here`);
    },
  );
});

const MISSING =
  /command not found|cannot load such file|Failed opening required|Can't locate|Need MIME::Base64 and Authen::SASL/;
