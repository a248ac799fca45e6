/** The document that the development server answers every page with. */
import { renderDocument } from './document';
import { readLegalFiles } from './legal-files';
import { readLegalVersions } from './legal-versions';
import { OUR_PRACTICE, readPracticeFiles } from './practice-files';

export function developmentDocument(template: string): string {
  const folder = process.env.PRACTICE_DIR || OUR_PRACTICE;
  // One document serves every path, so it has all texts.
  const snapshot = {
    ...readPracticeFiles(folder),
    legal: readLegalFiles(folder),
    legalVersions: readLegalVersions(folder),
  };
  return renderDocument(template, {
    head: { title: 'Development', description: '' },
    snapshot,
    documentName: 'development',
    html: '',
    code: [],
    fonts: [],
  });
}
