/** What the practice writes and applies stands on its pages within seconds, without a restart. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Practice, START_MS_MAX, startPractice } from './support/practice';
import { expect, test } from './support/test';

const USUAL = resolve(import.meta.dirname, '../../deploy/local/practice');
/** What the specification allows. */
const WITHIN = { timeout: 60_000 };
const NEW_SERVICE = `[[services]]
service_id = "sound-bath"
title = "Sound Bath"
description = "Lie down, and listen."
detailed_description = "Bowls and gongs."
duration_text = "45 minutes"
duration_minutes = 45
price = { minor_units = 90_000, currency_code = "INR" }
accent = "leaf"

[[services.features]]
name = "Rest"
description = "An hour of it."

`;

class Folder {
  constructor(readonly path: string) {
    cpSync(USUAL, path, { recursive: true });
  }

  replace(file: string, from: string, to: string): void {
    const path = join(this.path, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
}

test('a price, a legal text and a service follow what is applied', async ({ request }) => {
  test.setTimeout(START_MS_MAX + 240_000);
  const folder = new Folder(test.info().outputPath('practice'));
  const own = await startPractice('revisions', { PRACTICE_DIR: folder.path });
  const practice = new Practice(own.data);
  const page = async (path: string) => (await request.get(`${practice.url}${path}`)).text();
  const status = async (path: string) => (await request.get(`${practice.url}${path}`)).status();
  const apply = () => practice.staff('practice', 'apply', folder.path);
  try {
    expect(await page('/service/meditation')).toContain('"price":"750.00"');
    expect(await status('/service/sound-bath')).toBe(404);

    folder.replace('services.toml', 'minor_units = 75_000', 'minor_units = 65_000');
    folder.replace('services.toml', '[[packages]]', `${NEW_SERVICE}[[packages]]`);
    folder.replace('terms.toml', 'We work with care', 'We work with patience');
    folder.replace('practice.toml', 'phone = "+917555550100"', 'phone = "+917555550199"');
    const began = Date.now();
    expect(apply()).toContain('Revision 2-');
    await expect.poll(() => page('/service/meditation'), WITHIN).toContain('"price":"650.00"');
    test.info().annotations.push({ type: 'seconds', description: `${Date.now() - began} ms` });
    const meditation = await page('/service/meditation');
    expect(meditation).toContain('₹650');
    expect(meditation).not.toContain('₹750');
    expect(meditation).toContain('tel:+917555550199');
    expect(await page('/terms')).toContain('We work with patience');
    expect(await status('/service/sound-bath')).toBe(200);
    expect(await page('/services')).toContain('Sound Bath');
    expect(await page('/sitemap.xml')).toContain('/service/sound-bath');
    expect(await page('/embed/book')).toContain('sound-bath');

    folder.replace('services.toml', NEW_SERVICE, '');
    folder.replace('practice.toml', 'origins = []', 'origins = ["https://www.example.org"]');
    apply();
    await expect.poll(() => status('/service/sound-bath'), WITHIN).toBe(410);
    expect(await page('/service/sound-bath')).toContain('href="/services"');
    expect(await page('/sitemap.xml')).not.toContain('/service/sound-bath');
    const widget = await request.get(`${practice.url}/embed/book`);
    expect(widget.headers()['content-security-policy']).toContain('https://www.example.org');
    expect(await page('/service/meditation')).toContain('"price":"650.00"');
  } finally {
    await own.stop();
    rmSync(folder.path, { recursive: true, force: true });
  }
});
