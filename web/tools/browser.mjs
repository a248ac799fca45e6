/** The browser that the tools of this folder look with, started as for the tests. */
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

const KNOWN_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function openBrowser() {
  const path = process.env.CHROME_PATH ?? KNOWN_BROWSERS.find((known) => existsSync(known));
  return chromium.launch({ executablePath: path, args: ARGUMENTS });
}
