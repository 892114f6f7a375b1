import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: `${process.env.FLAKES_SUITE}.spec.js`,
  fullyParallel: true,
  retries: 0,
  reporter: './outcomes.js',
  outputDir: process.env.FLAKES_OUTPUT,
});
