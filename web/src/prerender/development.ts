/** The document that the development server answers every page with. */
import { renderDocument } from './document';
import { readPracticeFiles } from './practice-files';

export function developmentDocument(template: string): string {
  const snapshot = readPracticeFiles(process.env.PRACTICE_DIR || '../deploy/local/practice');
  return renderDocument(template, {
    head: { title: 'Development', description: '' },
    snapshot,
    documentName: 'development',
    html: '',
    code: [],
    fonts: [],
  });
}
