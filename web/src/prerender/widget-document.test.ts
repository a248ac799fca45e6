import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readPracticeFiles } from './practice-files';
import { widgetDocument } from './widget-document';

const OURS = resolve(import.meta.dirname, '../../../deploy/local/practice');
const FILES = { script: '/assets/a1.js', styles: ['/assets/frame-b2.css'] };

test('the document has what the widget shows, and who may frame it', () => {
  const html = widgetDocument(readPracticeFiles(OURS), ['https://wellness.example'], FILES);
  const json = /<script id="widget-data" type="application\/json">(.*)<\/script>/.exec(html)?.[1];
  const data = JSON.parse(json ?? '');
  expect(data.parents).toEqual(['https://wellness.example']);
  expect(data.services[0]).toMatchObject({
    serviceId: 'general-consultation',
    priceText: expect.stringMatching(/^₹/),
  });
  expect(data.crisisNote).toContain('14416');
  expect(html).toContain('<link rel="stylesheet" href="/assets/frame-b2.css">');
  expect(html).toContain('name="robots" content="noindex"');
  // Nothing of the practice beyond what is shown.
  expect(html).not.toContain('notices_email');
  expect(html).not.toContain('Arera Colony');
});

test('a name of the practice cannot become markup', () => {
  const snapshot = readPracticeFiles(OURS);
  snapshot.practice.name = '</script><script>alert(1)</script>';
  const html = widgetDocument(snapshot, [], FILES);
  expect(html).not.toContain('<script>alert');
});
