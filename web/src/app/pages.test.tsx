import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { NOT_FOUND, PAGES } from './pages';
import { AppRoutes, documentName, matchPage } from './router';

async function open(path: string): Promise<void> {
  await matchPage(path).entry.page.preload();
  renderApp(<AppRoutes />, { path });
}

test('both paths of a service show the same page and have one canonical address', async () => {
  const snapshot = practiceFixture();
  for (const path of ['/service/meditation', '/services/meditation']) {
    const { entry, params } = matchPage(path);
    expect(entry.head(snapshot, params).canonical).toBe('/service/meditation');
    expect(documentName({ entry, params })).toBe('service/meditation');
  }
  await open('/services/general-consultation');
  const book = screen.getByRole('link', { name: 'Book & Pay Now - ₹500' });
  expect(book.getAttribute('href')).toBe('/booking-flow?service=general-consultation');
});

test('an unknown service is said to be unknown', async () => {
  await open('/service/nothing');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Service Not Found');
  expect(screen.getByRole('link', { name: 'Return to Services' })).toBeTruthy();
});

test.each([
  ['/no/such/page', ['/', '/services']],
  ['/service/nothing', ['/services']],
])('%s has ways back', async (path, ways) => {
  await open(path);
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links).toEqual(ways);
});

test('only karmic healing has a notice', async () => {
  await open('/service/karmic-healing');
  expect(screen.getByText('Important Service Notice')).toBeTruthy();
});

test('seven services are listed, without the words "per session"', async () => {
  await open('/services');
  expect(screen.getAllByRole('article')).toHaveLength(7);
  expect(document.body.textContent).not.toContain('per session');
});

test('unknown paths have the 404 page', async () => {
  expect(matchPage('/no/such/page').entry).toBe(NOT_FOUND);
  const noted = vi.spyOn(console, 'info').mockImplementation(() => {});
  await open('/no/such/page');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Oops! Page Not Found');
  expect(noted).toHaveBeenCalledWith('No page at /no/such/page');
});

test('a review has its own document, and an impossible id has another one', () => {
  const known = matchPage(`/reviews/rvw_${'0a'.repeat(16)}`);
  expect(documentName(known)).toBe('review');
  expect(known.entry.head(practiceFixture(), known.params).hidden).toBeUndefined();
  const unknown = matchPage('/reviews/none');
  expect(documentName(unknown)).toBe('review-not-found');
  expect(unknown.entry.head(practiceFixture(), unknown.params)).toMatchObject({
    title: 'Review Not Found',
    hidden: true,
  });
});

test('what the gateway does not take for a page is none here', async () => {
  const paths = [
    '/About',
    '/%61bout',
    '/Booking-Flow',
    '/about//',
    '/service/',
    '/Service/meditation',
  ];
  for (const path of paths) expect(matchPage(path).entry, path).toBe(NOT_FOUND);
  // The gateway sends this one on, and the development server does not.
  expect(matchPage('/about/')).toEqual(matchPage('/about'));
  await open('/%61bout');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Oops! Page Not Found');
});

test('encoded letters make the address of another service, and of no review', async () => {
  const review = matchPage(`/reviews/%72vw_${'0a'.repeat(16)}`);
  expect(documentName(review)).toBe('review-not-found');
  expect(matchPage('/service/%6Deditation').params.serviceId).toBe('%6Deditation');
  await open('/service/%6Deditation');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Service Not Found');
});

test('the guide is hidden from search engines', () => {
  const match = matchPage('/meditation-guide');
  expect(documentName(match)).toBe('meditation-guide');
  expect(match.entry).toMatchObject({ withGuide: true });
  const head = match.entry.head(practiceFixture(), {});
  expect(head).toMatchObject({ title: 'Meditation Guide', hidden: true });
});

test.each([...PAGES, NOT_FOUND])('$path loads the file that it names', async ({ path, page }) => {
  const name = page.file ?? path.slice(1);
  // Vitest writes the file that an import names into the code of the import.
  const file = `"/src/(app/routes/${name}|features/.*/${name}-page)\\.tsx"`;
  expect(String(page.load)).toMatch(new RegExp(file));
  await page.preload();
  expect(page.loaded).toBeTypeOf('function');
});
