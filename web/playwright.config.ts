/** Browser tests; each worker starts a practice of its own and visits that. */
import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const KNOWN_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browser = process.env.CHROME_PATH ?? KNOWN_BROWSERS.find((path) => existsSync(path));

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Two cores are enough for three: much of a test is waiting for what it started.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  timeout: 180_000,
  // No test is judged by how busy the machine is.
  expect: { timeout: 60_000 },
  reporter: [['list'], ['./e2e/support/failures-last.ts']],
  use: {
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    screenshot: 'only-on-failure',
    // Recording every step of every test costs more than the tests; TRACE=1 asks for it.
    trace: process.env.TRACE === '1' ? 'retain-on-failure' : 'off',
    launchOptions: {
      ...(browser ? { executablePath: browser } : {}),
      args: [
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  projects: [
    { name: 'desktop', grepInvert: /@phone-only/, use: { viewport: { width: 1280, height: 800 } } },
    {
      name: 'phone',
      grep: /@phone/,
      use: { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true },
    },
  ],
});
