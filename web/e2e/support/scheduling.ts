/** A practice whose sessions have their times chosen in the scheduling provider's own widget. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SERVICE } from './flow';
import { reservedPort } from './practice';

const WEB = resolve(import.meta.dirname, '../..');
const USUAL = resolve(WEB, '../deploy/local/practice');

/** Settings of such a practice, in a folder of its own. The widget has another origin than the site. */
export async function practiceWithWidget(folder: string): Promise<Record<string, string>> {
  const port = await reservedPort();
  const practice = join(folder, 'practice');
  const site = join(folder, 'dist');
  mkdirSync(practice, { recursive: true });
  const origin = `http://localhost:${port}`;
  const block = [
    '[[scheduling_widgets]]',
    `service_id = "${SERVICE}"`,
    `url = "${origin}/scheduling/widget/session"`,
    `event_type = "http://127.0.0.1:${port}/scheduling/event_types/SESSION"`,
  ];
  const text = readFileSync(join(USUAL, 'practice.toml'), 'utf8');
  writeFileSync(join(practice, 'practice.toml'), `${text}\n${block.join('\n')}\n`);
  // Of the built pages only the policy depends on the setting; the whole build takes longer.
  cpSync(join(WEB, 'dist'), site, { recursive: true });
  const csp = JSON.parse(readFileSync(join(site, 'csp.json'), 'utf8'));
  writeFileSync(join(site, 'csp.json'), JSON.stringify({ ...csp, frameOrigins: [origin] }));
  return {
    PRACTICE_DIR: practice,
    GATEWAY_WEB_DIR: site,
    SANDBOX_PORT: String(port),
    BOOKING_SCHEDULING_URL: 'sandbox',
  };
}
