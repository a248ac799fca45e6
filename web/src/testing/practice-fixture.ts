/** The practice as the local files describe it, for tests of pages. */
import { resolve } from 'node:path';
import type { Snapshot } from '@/lib/snapshot';
import { readPracticeFiles } from '@/prerender/practice-files';

export function practiceFixture(): Snapshot {
  return readPracticeFiles(resolve(import.meta.dirname, '../../../deploy/local/practice'));
}
