/** The pages of the legal texts, and what leads to them. */
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Footer } from '@/components/footer';
import { LegalPage } from '@/features/legal/components/legal-page';
import { LEGAL_PAGES } from '@/features/legal/legal-pages';
import { crossesDocument } from '@/lib/documents';
import { LEGAL_NAMES } from '@/lib/legal-text';
import { readLegalFiles } from '@/prerender/legal-files';
import { OUR_PRACTICE } from '@/prerender/practice-files';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { PAGES } from './pages';
import { documentName, matchPage } from './router';
import { linksAt } from './site-links';

const TEXTS = readLegalFiles(OUR_PRACTICE);

test.each(LEGAL_NAMES)('/%s shows its text, with the day of its last change', (name) => {
  const snapshot = { ...practiceFixture(), legal: { [name]: TEXTS[name] } };
  renderApp(<LegalPage name={name} />, { path: `/${name}`, snapshot });
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(LEGAL_PAGES[name].title);
  const { sections, changed } = TEXTS[name];
  const headings = screen.getAllByRole('heading', { level: 2 });
  expect(headings).toHaveLength(sections.length + 1);
  expect(screen.getByText(/^2[259] November 2026$/).getAttribute('datetime')).toBe(changed);
  const contents = screen.getByRole('navigation', { name: 'On this page' });
  for (const { id, title } of sections) {
    expect(document.getElementById(id)).toBeTruthy();
    expect(within(contents).getByRole('link', { name: title }).getAttribute('href')).toBe(`#${id}`);
  }
  const mail = screen.queryAllByRole('link', { name: 'hello@sukoon.example' })[0];
  expect(mail?.getAttribute('href')).toBe('mailto:hello@sukoon.example');
});

test('a document without the text offers to load the one that has it', () => {
  renderApp(<LegalPage name="terms" />, { path: '/terms' });
  const link = screen.getByRole('link', { name: 'Load the page again' });
  expect(link.getAttribute('href')).toBe('/terms');
});

test('each is a document of its own that search engines may keep', () => {
  for (const name of LEGAL_NAMES) {
    const match = matchPage(`/${name}`);
    expect(match.entry).toMatchObject({ legal: name });
    expect(documentName(match)).toBe(name);
    const head = match.entry.head(practiceFixture(), {});
    expect(head).toEqual({
      title: LEGAL_PAGES[name].title,
      description: LEGAL_PAGES[name].description,
    });
    // Only its own document carries its text, so the router must not lead there or away.
    expect(crossesDocument('/', `/${name}#part`)).toBe(true);
    expect(crossesDocument(`/${name}`, '/faq')).toBe(true);
    expect(crossesDocument(`/${name}`, `/${name}#part`)).toBe(false);
  }
  expect(PAGES.filter(({ legal }) => legal)).toHaveLength(LEGAL_NAMES.length);
});

test('the foot of every page leads to them and to the cancellation policy', () => {
  renderApp(<Footer linksAt={linksAt} />);
  const links = within(screen.getByRole('navigation', { name: 'Privacy and terms' }));
  const found = links
    .getAllByRole('link')
    .map((link) => [link.textContent, link.getAttribute('href')]);
  expect(found).toEqual([
    ['Privacy', '/privacy'],
    ['Terms', '/terms'],
    ['Refunds', '/refunds'],
    ['Cancellation policy', '/cancellation-policy'],
  ]);
});
