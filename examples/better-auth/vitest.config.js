import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { globalSetup: 'mailcap/vitest/global-setup' } });
