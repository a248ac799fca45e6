/** The welcome page, element by element. */
import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Snapshot } from '@/lib/snapshot';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import HomeRoute from '../routes/home';

const FEATURED = [
  ['mental-health', 'Mental Health Therapy', '50-60 minutes', '₹1,500'],
  ['energy-healing', 'Energy Healing', '45-60 minutes', '₹700'],
  ['meditation', 'Meditation & Mindfulness', '30-45 minutes', '₹750'],
] as const;

/** The page inside of what every page has around it. */
function open(snapshot: Snapshot = practiceFixture()) {
  const page = (
    <main>
      <HomeRoute />
    </main>
  );
  renderApp(page, { snapshot });
  return userEvent.setup();
}

function part(name: string) {
  return within(screen.getByRole('region', { name }));
}

function hrefOf(link: HTMLElement): string | null {
  return link.getAttribute('href');
}

test('one heading promises clarity, and the ways on lead to the services', async () => {
  open();
  const title = screen.getByRole('heading', { level: 1 });
  expect(title.textContent).toMatch(/^mental clarity in 90 seconds/i);
  expect(screen.getByRole('button', { name: 'Take the 90-second quiz' })).toBeTruthy();
  const ways = [
    screen.getByRole('link', { name: 'Browse all services' }),
    part('Our Healing Services').getByRole('link', { name: 'View All Services' }),
    part("You don't have to carry it alone").getByRole('link', { name: 'Find your session' }),
  ];
  expect(ways.map(hrefOf)).toEqual(['/services', '/services', '/services']);
  await expectAccessible();
});

test('the first screen says where the practice is and what a session costs', () => {
  open();
  expect(screen.getByText('Counselling and healing in Bhopal, and online')).toBeTruthy();
  expect(screen.getByText('Sessions from ₹500 · 30–90 min')).toBeTruthy();
});

test('the founder section names her, quotes her and leads to the about page', () => {
  const snapshot = practiceFixture();
  open(snapshot);
  const { practitionerName, about } = snapshot.practice;
  const founder = part(practitionerName);
  expect(founder.getByText('Founder & Lead Healer')).toBeTruthy();
  expect(founder.getByText(about?.introduction ?? 'none')).toBeTruthy();
  expect(founder.getByRole('blockquote').textContent).toBe(`“${about?.philosophy}”`);
  expect(hrefOf(founder.getByRole('link', { name: /story$/ }))).toBe('/about');
});

test('a portrait of the practice’s own takes the place of the drawn one, unless it fails', () => {
  const snapshot = practiceFixture();
  if (snapshot.practice.about) snapshot.practice.about.portraitUrl = '/media/portrait.jpg';
  open(snapshot);
  const founder = part('Meera Joshi');
  const portrait = founder.getByRole('img', { name: 'Meera Joshi' });
  expect(portrait.getAttribute('src')).toBe('/media/portrait.jpg');
  expect(portrait.getAttribute('width')).toBe('480');
  expect(portrait.getAttribute('loading')).toBe('lazy');
  fireEvent.error(portrait);
  expect(founder.queryByRole('img', { name: 'Meera Joshi' })).toBeNull();
  expect(founder.getByText('Founder & Lead Healer')).toBeTruthy();
});

test.each(FEATURED)('the card of %s opens its dialog', async (id, title, duration, price) => {
  const person = open();
  const services = part('Our Healing Services');
  const names = services.getAllByRole('heading', { level: 3 }).map((one) => one.textContent);
  expect(names).toEqual(FEATURED.map(([, name]) => name));
  const card = services.getAllByRole('article').find((one) => one.textContent?.includes(title));
  expect(card?.textContent).toContain(price);
  expect(card?.textContent).not.toContain('per session');

  await person.click(services.getByRole('button', { name: title }));
  const dialog = within(screen.getByRole('dialog', { name: title }));
  expect(dialog.getByRole('heading', { name: title })).toBeTruthy();
  expect(screen.getByRole('dialog').querySelector('svg')).not.toBeNull();
  const facts = dialog.getAllByRole('definition').map(({ textContent }) => textContent);
  expect(dialog.getAllByRole('term').map((one) => one.textContent)).toEqual(['Duration', 'Price']);
  expect(facts).toEqual([duration, price]);
  expect(dialog.getByRole('heading', { name: "What's Included" })).toBeTruthy();
  expect(dialog.getAllByRole('listitem')).toHaveLength(4);
  expect(hrefOf(dialog.getByRole('link', { name: 'View Full Details' }))).toBe(`/service/${id}`);
  expect(hrefOf(dialog.getByRole('link', { name: 'Book Session' }))).toBe(`/book?service=${id}`);
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('Quick Answers: four items, each opens by itself and several at once', async () => {
  open();
  const section = screen.getByRole('region', { name: 'Quick Answers' });
  const items = [...section.querySelectorAll('details')];
  expect(items).toHaveLength(4);
  for (const item of items) {
    // A name would close the others.
    expect(item.hasAttribute('name')).toBe(false);
    expect(item.querySelector('summary')?.textContent).toMatch(/\?$/);
    expect(item.querySelector('p')?.textContent).toBeTruthy();
    item.open = true;
  }
  await expectAccessible(section);
  const links = part('Quick Answers').getAllByRole('link', { name: 'View All Questions' });
  expect(links.map(hrefOf)).toEqual(['/faq', '/faq']);
});
