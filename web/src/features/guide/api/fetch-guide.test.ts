import { resolve } from 'node:path';
import { test } from 'vitest';
import { GetMeditationGuideResponseSchema } from '@/gen/catalogue/v1/catalogue_service_pb';
import { readGuideFile } from '@/prerender/practice-files';
import { expectShape } from '@/testing/shape-check';
import { GUIDE_ANSWER } from './fetch-guide';

test('the guide is read as the contract writes it', () => {
  const folder = resolve(import.meta.dirname, '../../../../../deploy/local/practice');
  const guide = readGuideFile(folder);
  expectShape(GetMeditationGuideResponseSchema, GUIDE_ANSWER, { guide });
});
