/** The files of a practice in which two people give sessions. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const USUAL = resolve(import.meta.dirname, '../../../deploy/local/practice');
const RAVI = '[[practitioners]]\npractitioner_id = "ravi"\nname = "Ravi Menon"\n';
const KARMIC = 'service_id = "karmic-healing"';

/** Two practitioners, of whom the second one alone gives karmic healing. Says the folder. */
export function practiceOfTwo(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const practice = readFileSync(join(USUAL, 'practice.toml'), 'utf8');
  writeFileSync(join(folder, 'practice.toml'), `${practice}\n${RAVI}`);
  const services = readFileSync(join(USUAL, 'services.toml'), 'utf8');
  if (!services.includes(KARMIC)) throw new Error('The sample practice has no karmic healing.');
  writeFileSync(
    join(folder, 'services.toml'),
    services.replace(KARMIC, `${KARMIC}\npractitioners = ["ravi"]`),
  );
  return folder;
}
