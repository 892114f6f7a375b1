import { defineConfig } from '@playwright/test';
import { mailcapWebServer } from 'mailcap/playwright';

const port = process.env.PORT ?? '4173';
const baseURL = `http://127.0.0.1:${port}`;

export default defineConfig({
  fullyParallel: true,
  reporter: 'list',
  timeout: 60_000,
  use: {
    baseURL,
    // This uses a browser of the system. Remove it after `npx playwright install chromium`.
    launchOptions: process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } : {},
  },
  webServer: [
    mailcapWebServer(),
    {
      command: 'node platform.js',
      url: `${baseURL}/api/v1/settings`,
      env: { PORT: port, SMTP_HOST: process.env.MAILCAP_SMTP_HOST, SMTP_PORT: process.env.MAILCAP_SMTP_PORT },
    },
  ],
});
