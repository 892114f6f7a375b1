import { defineConfig } from '@playwright/test';
import { mailcapWebServer } from 'mailcap/playwright';

const port = process.env.PORT ?? '4173';
const baseURL = `http://127.0.0.1:${port}`;

export default defineConfig({
  fullyParallel: true,
  reporter: 'list',
  updateSnapshots: 'missing',
  use: {
    baseURL,
    // This uses a browser of the system. Remove it after `npx playwright install chromium`.
    launchOptions: process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } : {},
  },
  webServer: [
    mailcapWebServer(),
    { command: 'node app.js', url: baseURL, env: { PORT: port, SMTP_URL: process.env.MAILCAP_SMTP_URL } },
  ],
});
