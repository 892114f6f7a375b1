import { describe, expect, test } from 'vitest';
import { editJson } from '../../../src/cli/init/config.ts';
import { planOf } from '../../../src/cli/init/init.ts';
import type { Manifest } from '../../../src/cli/init/project.ts';
import { created, NO_WISHES, project, steps, textOf, VITEST } from './given.ts';

// The configurations of runners are edited by their syntax, in the forms that projects write them in. Everything that
// stands in them stays, and a form that can't be edited gets lines to paste.

describe('the mail server before the app', () => {
  const PLAYWRIGHT = { dependencies: { '@playwright/test': '^1.60.0' } };
  const change = (path: string, text: string, manifest: Partial<Manifest>) => {
    const step = steps({ manifest, configs: [{ path, text }] }).find((one) => 'path' in one && one.path === path);
    return step?.do === 'edit' ? step.change(text) : (step?.do ?? 'none');
  };

  test.each<[string, string, string]>([
    [
      'an object',
      "import { defineConfig } from '@playwright/test';\n\nexport default defineConfig({\n  webServer: {\n    command: 'npm start', // {\n    url: 'http://127.0.0.1:3000',\n  },\n});\n",
      "import { defineConfig } from '@playwright/test';\nimport { mailcapWebServer } from 'mailcap/playwright';\n\nexport default defineConfig({\n  webServer: [\n    mailcapWebServer(),\n    {\n      command: 'npm start', // {\n      url: 'http://127.0.0.1:3000',\n    },\n  ],\n});\n",
    ],
    [
      'a list',
      "const { defineConfig } = require('@playwright/test');\nmodule.exports = defineConfig({\n  webServer: [{ command: 'a' }, { command: 'b' }],\n});\n",
      "const { defineConfig } = require('@playwright/test');\nconst { mailcapWebServer } = require('mailcap/playwright');\nmodule.exports = defineConfig({\n  webServer: [mailcapWebServer(), { command: 'a' }, { command: 'b' }],\n});\n",
    ],
    [
      'lines that end with CRLF',
      "export default {\r\n  webServer: {\r\n    command: 'a',\r\n  },\r\n};\r\n",
      "import { mailcapWebServer } from 'mailcap/playwright';\r\n\r\nexport default {\r\n  webServer: [\r\n    mailcapWebServer(),\r\n    {\r\n      command: 'a',\r\n    },\r\n  ],\r\n};\r\n",
    ],
    ['a variable', 'export default {\n  webServer: process.env.CI ? [] : app,\n};\n', 'paste'],
    [
      'two objects, of which one is exported',
      'const a = {\n  webServer: {},\n};\nexport default {\n  webServer: {},\n};\n',
      "import { mailcapWebServer } from 'mailcap/playwright';\n\nconst a = {\n  webServer: {},\n};\nexport default {\n  webServer: [mailcapWebServer(), {}],\n};\n",
    ],
    [
      'an app that some runs start, and a comment beside an import',
      'import { a } from "a"; // eslint-disable-line\n\nexport default {\n  webServer: process.env.URL ? undefined : { command: `a\n b` },\n};\n',
      'import { a } from "a"; // eslint-disable-line\nimport { mailcapWebServer } from "mailcap/playwright";\n\nexport default {\n  webServer: process.env.URL ? undefined : [mailcapWebServer(), { command: `a\n b` }],\n};\n',
    ],
    [
      'an object that is spread under a condition, below the type of the export',
      "'use strict';\n/** @type {import('@playwright/test').PlaywrightTestConfig} */\nmodule.exports = {\n  ...(process.env.URL ? {} : { webServer: app }),\n  ...(process.env.CI && { webServer: [] }),\n};\n",
      'paste',
    ],
    [
      'the type of the export stays with it',
      "'use strict';\n\n/** @type {import('@playwright/test').PlaywrightTestConfig} */\nmodule.exports = {\n  ...(process.env.URL ? {} : { webServer: { command: 'a' } }),\n};\n",
      "'use strict';\n\nconst { mailcapWebServer } = require('mailcap/playwright');\n\n/** @type {import('@playwright/test').PlaywrightTestConfig} */\nmodule.exports = {\n  ...(process.env.URL ? {} : { webServer: [mailcapWebServer(), { command: 'a' }] }),\n};\n",
    ],
    [
      'constants',
      "const webServer = [{ command: 'a' }];\nexport default defineConfig(base, { webServer });\n",
      "import { mailcapWebServer } from 'mailcap/playwright';\n\nconst webServer = [{ command: 'a' }];\nexport default defineConfig(base, { webServer: [mailcapWebServer(), ...webServer] });\n",
    ],
    [
      'TypeScript in a file of JavaScript',
      "const app = { command: 'a' };\nconst config = { webServer: app } as const;\nexport default config;\n",
      'paste',
    ],
    ['a spread after it', 'export default {\n  webServer: {},\n  ...base,\n};\n', 'paste'],
    [
      'a function with two results',
      'export default (() => {\n  if (a) return b;\n  return { webServer: {} };\n})();\n',
      'paste',
    ],
    [
      'a function of the project, which may do anything with the object',
      "import { defineConfig } from './base';\nexport default defineConfig({ webServer: {} });\n",
      'paste',
    ],
    ['mailcap already', 'export default { webServer: [mailcapWebServer(), app] };\n', 'none'],
    ['only a comment', 'export default {\n  // webServer: {\n  // },\n};\n', 'none'],
  ])('Playwright: %s', (_, text, wanted) => {
    expect(change('playwright.config.js', text, PLAYWRIGHT)).toBe(wanted);
  });

  test.each<[string, string, string]>([
    [
      'a plain object',
      'export default defineConfig({\n  test: {\n    globals: true,\n  },\n});\n',
      "export default defineConfig({\n  test: {\n    globalSetup: ['mailcap/vitest/global-setup'],\n    globals: true,\n  },\n});\n",
    ],
    [
      'one line',
      'export default defineConfig({ test: { globals: true } });\n',
      "export default defineConfig({ test: { globalSetup: ['mailcap/vitest/global-setup'], globals: true } });\n",
    ],
    [
      'a setup of its own, which then finds the server',
      "export default { test: { globalSetup: './x.js' } };\n",
      "export default { test: { globalSetup: ['mailcap/vitest/global-setup', './x.js'] } };\n",
    ],
    [
      'a list of setups',
      'export default { test: { globalSetup: ["./x.js"] } };\n',
      'export default { test: { globalSetup: ["mailcap/vitest/global-setup", "./x.js"] } };\n',
    ],
    ['a computed setup', 'export default { test: { globalSetup: setups() } };\n', 'paste'],
    [
      'no test',
      'export default defineConfig({ plugins: [] });\n',
      "export default defineConfig({\n  test: { globalSetup: ['mailcap/vitest/global-setup'] },\n  plugins: []\n});\n",
    ],
    [
      'a merged configuration, and projects',
      'export default mergeConfig(base, defineConfig({\n  test: {\n    projects: [{ test: {} }],\n  },\n}));\n',
      "export default mergeConfig(base, defineConfig({\n  test: {\n    globalSetup: ['mailcap/vitest/global-setup'],\n    projects: [{ test: {} }],\n  },\n}));\n",
    ],
    [
      'a function with a constant of its own',
      'export default defineConfig(async ({ mode }) => {\n  const config = { test: { globals: true } };\n  return config;\n});\n',
      "export default defineConfig(async ({ mode }) => {\n  const config = { test: { globalSetup: ['mailcap/vitest/global-setup'], globals: true } };\n  return config;\n});\n",
    ],
    ['the options of another function', 'export default mergeConfig(base, viteConfigOf({ entry: 1 }));\n', 'paste'],
    ['a part from elsewhere', 'export default { test: { ...base } };\n', 'paste'],
    ['mailcap already', "export default { test: { globalSetup: ['mailcap/vitest/global-setup'] } };\n", 'none'],
  ])('Vitest: %s', (_, text, wanted) => {
    expect(change('vitest.config.js', text, VITEST)).toBe(wanted);
  });

  test('a configuration of Vite in TypeScript gets the line with the types of `test`', () => {
    const text = "import { defineConfig } from 'vite';\nexport default defineConfig({});\n";
    expect(change('vite.config.ts', text, VITEST)).toBe(
      "/// <reference types=\"vitest/config\" />\nimport { defineConfig } from 'vite';\nexport default defineConfig({\n  test: { globalSetup: ['mailcap/vitest/global-setup'] },\n});\n",
    );
  });

  test('the lines to paste call what the configuration calls', () => {
    const text =
      "import { defineConfig } from '@playwright/test';\nexport default defineConfig({ webServer: servers() });\n";
    const step = steps({ manifest: PLAYWRIGHT, configs: [{ path: 'playwright.config.ts', text }] }).find(
      (one) => one.do === 'paste',
    );
    expect(step?.do === 'paste' ? step.lines : '').toBe(
      "import { mailcapWebServer } from 'mailcap/playwright';\n\nwebServer: [mailcapWebServer()].concat(servers()),",
    );
  });

  test('a Vitest project without a configuration gets one; where the root of a monorepo has one, it is told', () => {
    expect(textOf(steps({ manifest: VITEST }), 'vitest.config.mjs')).toContain(
      "globalSetup: ['mailcap/vitest/global-setup']",
    );
    expect(
      textOf(steps({ manifest: VITEST, lockDirectory: '/projects', hasVitestAbove: true }), 'vitest.config.mjs'),
    ).toBe('');
  });
});

describe('the configuration of Cypress', () => {
  const cypress = { dependencies: { cypress: '^15.0.0' } };
  const edited = (path: string, text: string, files: readonly string[] = ['cypress/support/e2e.js']) => {
    const [step] = steps({ manifest: cypress, configs: [{ path, text }], files }).filter(
      (one) => 'path' in one && one.path === path,
    );
    return step?.do === 'edit' ? step.change(text) : step?.do === 'paste' ? `paste\n${step.lines}` : 'none';
  };
  const HEAD = "import { defineConfig } from 'cypress';\n";

  test.each<[string, string, string, string]>([
    [
      'what `cypress open` writes, in TypeScript',
      'cypress.config.ts',
      'import { defineConfig } from "cypress";\n\nexport default defineConfig({\n  e2e: {\n    setupNodeEvents(on, config) {\n      // implement node event listeners here\n    },\n  },\n});\n',
      'import { defineConfig } from "cypress";\nimport { mailcap } from "mailcap/cypress";\n\nexport default defineConfig({\n  e2e: {\n    async setupNodeEvents(on, config) {\n      await mailcap(on);\n      // implement node event listeners here\n    },\n  },\n});\n',
    ],
    [
      'the same in CommonJS',
      'cypress.config.js',
      'const { defineConfig } = require("cypress");\n\nmodule.exports = defineConfig({\n  e2e: {\n    setupNodeEvents(on, config) {\n      // implement node event listeners here\n    },\n  },\n});\n',
      'const { defineConfig } = require("cypress");\nconst { mailcap } = require("mailcap/cypress");\n\nmodule.exports = defineConfig({\n  e2e: {\n    async setupNodeEvents(on, config) {\n      await mailcap(on);\n      // implement node event listeners here\n    },\n  },\n});\n',
    ],
    [
      'no handlers, `satisfies`, a constant, CRLF and tabs',
      'cypress.config.ts',
      "const config = {\r\n\te2e: {\r\n\t\tbaseUrl: 'http://127.0.0.1:3000', // {\r\n\t},\r\n} satisfies Cypress.ConfigOptions;\r\nexport default config;\r\n",
      "import { mailcap } from 'mailcap/cypress';\r\n\r\nconst config = {\r\n\te2e: {\r\n\t\tasync setupNodeEvents(on) {\r\n\t\t\tawait mailcap(on);\r\n\t\t},\r\n\t\tbaseUrl: 'http://127.0.0.1:3000', // {\r\n\t},\r\n} satisfies Cypress.ConfigOptions;\r\nexport default config;\r\n",
    ],
    [
      'an arrow function that returns the configuration',
      'cypress.config.mjs',
      `${HEAD}export default defineConfig({\n  e2e: {\n    setupNodeEvents: (on, config) => {\n      return config;\n    },\n  },\n});\n`,
      `${HEAD}import { mailcap } from 'mailcap/cypress';\nexport default defineConfig({\n  e2e: {\n    setupNodeEvents: async (on, config) => {\n      await mailcap(on);\n      return config;\n    },\n  },\n});\n`,
    ],
    [
      'no parameter, on one line',
      'cypress.config.mjs',
      `${HEAD}export default defineConfig({ e2e: { setupNodeEvents() {} } });\n`,
      `${HEAD}import { mailcap } from 'mailcap/cypress';\nexport default defineConfig({ e2e: { async setupNodeEvents(on) {\n  await mailcap(on);\n} } });\n`,
    ],
    [
      'tests of components alone',
      'cypress.config.mjs',
      `${HEAD}export default defineConfig({\n  component: {},\n});\n`,
      `${HEAD}import { mailcap } from 'mailcap/cypress';\nexport default defineConfig({\n  e2e: {\n    async setupNodeEvents(on) {\n      await mailcap(on);\n    },\n  },\n  component: {},\n});\n`,
    ],
  ])('%s', (_, path, text, wanted) => {
    expect(edited(path, text)).toBe(wanted);
    expect(edited(path, wanted)).toBe('none');
  });

  test('without a support file the configuration says so, unless it names one', () => {
    const text = `${HEAD}export default defineConfig({\n  e2e: {\n  },\n});\n`;
    expect(edited('cypress.config.mjs', text, [])).toContain('  e2e: {\n    supportFile: false,\n    async setup');
    const named = text.replace('  e2e: {\n', "  e2e: {\n    supportFile: './s.js',\n");
    expect(edited('cypress.config.mjs', named, [])).not.toContain('false');
  });

  test.each<[string, string, string]>([
    [
      'handlers of another module',
      "import { defineConfig } from 'cypress';\nimport { plugins } from './plugins';\nexport default defineConfig({ e2e: { setupNodeEvents: plugins } });\n",
      'return plugins(on, config);',
    ],
    [
      'handlers in CommonJS',
      "module.exports = { e2e: { setupNodeEvents: require('./plugins') } };\n",
      "const { mailcap } = require('mailcap/cypress');",
    ],
    ['a type of the result', 'export default { e2e: { setupNodeEvents(on): void {} } };\n', 'await mailcap(on);'],
    ['no object', "export { default } from './base';\n", 'await mailcap(on);'],
    ['no program', 'export default {\n', 'await mailcap(on);'],
  ])('%s: lines to paste, which fit', (_, text, lines) => {
    expect(edited('cypress.config.ts', text)).toMatch(/^paste\n/);
    expect(edited('cypress.config.ts', text)).toContain(lines);
  });
});

describe('the configuration of Jest', () => {
  const jest = { manifest: { dependencies: { jest: '^30.0.0' } } };
  const edited = (config: string, text: string) => {
    const step = steps({ ...jest, configs: [{ path: config, text }] }).find(
      (one) => one.do === 'edit' || one.do === 'paste',
    );
    return step?.do === 'edit' ? step.change(text) : (step?.do ?? 'none');
  };
  test.each<[string, string, string]>([
    ['a plain object', 'module.exports = {\n    verbose: true,\n};\n', 'module.exports = {\n    globalSetup:'],
    ['an ES module', 'export default {\n};\n', 'export default {\n  globalSetup:'],
    [
      'a constant with a type',
      "/** @type {import('jest').Config} */\nconst config = {\n  verbose: true,\n};\nmodule.exports = config;\n",
      'const config = {\n  globalSetup:',
    ],
    [
      'line ends of Windows',
      'module.exports = {\r\n  verbose: true,\r\n};\r\n',
      "module.exports = {\r\n  globalSetup: '<rootDir>/mailcap.setup.cjs',\r\n",
    ],
    ['a setup of its own', "module.exports = {\n  globalSetup: './x.js',\n};\n", 'paste'],
    ['a function', 'module.exports = async () => ({\n  verbose: true,\n});\n', 'async () => ({\n  globalSetup:'],
    [
      'what a function of a package takes',
      "const nextJest = require('next/jest');\nconst createJestConfig = nextJest({ dir: './' });\nconst config = {\n};\nmodule.exports = createJestConfig(config);\n",
      'const config = {\n  globalSetup:',
    ],
    [
      'a `rootDir`',
      "export default {\n  rootDir: 'src',\n};\n",
      "globalSetup: '<rootDir>/../mailcap.setup.cjs',\n  globalTeardown: '<rootDir>/../mailcap.teardown.cjs',\n",
    ],
    ['a computed `rootDir`', 'export default {\n  rootDir: a(),\n};\n', 'paste'],
    ['a known preset', "export default {\n  preset: 'ts-jest/presets/default-esm',\n};\n", '{\n  globalSetup:'],
    ['a preset that may have a setup', "export default {\n  preset: '@shelf/jest-mongodb',\n};\n", 'paste'],
    ['a part from elsewhere', 'export default {\n  ...base,\n};\n', 'paste'],
    ['an object in a comment alone', "/*\nmodule.exports = {\n*/\nmodule.exports = require('./x');\n", 'paste'],
    [
      'an object after a comment',
      '/*\nmodule.exports = {\n*/\nmodule.exports = {\n};\n',
      '*/\nmodule.exports = {\n  globalSetup:',
    ],
    ['two objects', 'const config = {\n};\nmodule.exports = {\n};\n', '};\nmodule.exports = {\n  globalSetup:'],
    ['several projects', "module.exports = {\n  projects: ['a'],\n};\n", '{\n  globalSetup:'],
    ['mailcap already', "module.exports = {\n  globalSetup: './mailcap.setup.cjs',\n};\n", 'none'],
  ])('%s', (_, text, wanted) => {
    expect(edited('jest.config.js', text)).toContain(wanted);
  });

  test('Jest is told to leave the tests of Playwright out, unless it chooses its tests', () => {
    const manifest = { dependencies: { jest: '^30.0.0', '@playwright/test': '^1.60.0' } };
    const notes = (text: string) =>
      planOf(project({ manifest, configs: [{ path: 'jest.config.js', text }] }), NO_WISHES).notes.join();
    expect(notes('module.exports = {};')).toContain("has '<rootDir>/tests/'");
    expect(notes("module.exports = { roots: ['<rootDir>/src'] };")).not.toContain('Jest runs');
  });

  test('the lines for a setup of its own call both files by their paths from it', () => {
    const lines = (manifest: Partial<Manifest>, text: string) =>
      steps({ manifest: { ...jest.manifest, ...manifest }, configs: [{ path: 'jest.config.js', text }] }).flatMap(
        (one) => (one.do === 'paste' ? one.lines.split('\n') : []),
      );
    expect(lines({}, "module.exports = { globalSetup: '<rootDir>/test/setup.js' };\n")[1]).toBe(
      "await require('../mailcap.setup.cjs')();",
    );
    expect(lines({ type: 'module' }, "export default { globalSetup: './setup.js' };\n")[1]).toBe(
      "await (await import('./mailcap.setup.cjs')).default();",
    );
  });

  test('the field of package.json names the files from its `rootDir`, and the test is where Jest looks', () => {
    const fields = { rootDir: 'src', testRegex: '.*\\.spec\\.js$' };
    const all = steps({ manifest: { ...jest.manifest, jest: fields } });
    const step = all.find((one) => one.do === 'edit');
    expect(step?.do === 'edit' ? JSON.parse(step.change('{}')).jest : null).toEqual({
      ...fields,
      globalSetup: '<rootDir>/../mailcap.setup.cjs',
      globalTeardown: '<rootDir>/../mailcap.teardown.cjs',
    });
    expect(created(all)).toEqual(['mailcap.setup.cjs', 'mailcap.teardown.cjs', 'src/mailcap.spec.js']);
    const roots = "export default { roots: ['<rootDir>/lib'] };\n";
    expect(created(steps({ ...jest, configs: [{ path: 'jest.config.js', text: roots }] })).at(-1)).toBe(
      'lib/mailcap.test.js',
    );
  });

  test('the field of package.json gets two more fields, and keeps the others', () => {
    const given = { manifest: { ...jest.manifest, jest: { verbose: true } } };
    const step = steps(given).find((one) => one.do === 'edit');
    const text = '{\n\t"name": "a",\n\t"jest": {\n\t\t"verbose": true\n\t}\n}\n';
    const changed = step?.do === 'edit' ? step.change(text) : '';
    expect(JSON.parse(changed)).toEqual({
      name: 'a',
      jest: {
        verbose: true,
        globalSetup: '<rootDir>/mailcap.setup.cjs',
        globalTeardown: '<rootDir>/mailcap.teardown.cjs',
      },
    });
    expect(changed).toMatch(/^\{\n\t"name": "a",\n\t"jest": \{\n\t\t"verbose": true,\n/);
  });

  test('a file that is no JSON stays as it is', () => {
    expect(editJson('{ // x\n}', () => ({ a: 1 }))).toBe('{ // x\n}');
  });
});
