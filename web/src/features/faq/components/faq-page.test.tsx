import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { anchorIn, anchorOf } from '../anchors';
import { FaqPage } from './faq-page';

const led = vi.fn();

beforeEach(() => {
  led.mockReset();
  // The tests' document has no layout to scroll in.
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(led);
});

function open(path = '/faq') {
  renderApp(<FaqPage />, { path });
}

/** The question's native details. */
function box(words: string): HTMLDetailsElement {
  const found = screen.getByText(words).closest('details');
  if (!found) throw new Error(`${words} cannot be opened.`);
  return found;
}

function all(): HTMLDetailsElement[] {
  return [...document.querySelectorAll('details')];
}

test('three groups with 4, 5 and 5 questions, open, and their questions closed', () => {
  open();
  const groups = ['General Questions', 'Booking & Practical Information'];
  groups.push('Healing & Treatment Questions');
  expect(groups.map((title) => box(title).querySelectorAll('details').length)).toEqual([4, 5, 5]);
  for (const title of groups) expect(box(title).open).toBe(true);
  expect(all().filter(({ open }) => open)).toHaveLength(3);
});

test('the figures are those of the practice, and the ways on lead to contact and services', () => {
  open();
  const figures = within(screen.getByRole('region', { name: 'Sukoon in figures' }));
  const told = figures.getAllByRole('definition').map(({ textContent }) => textContent);
  expect(told).toEqual(['200+', '95%', '15+', '100%']);
  const ways = within(screen.getByRole('complementary'));
  expect(ways.getByRole('link', { name: 'Contact us' }).getAttribute('href')).toBe('/contact');
  expect(ways.getByRole('link', { name: /services/ }).getAttribute('href')).toBe('/services');
});

test('a link opens its question with the group around it, and leads there', async () => {
  open('/faq#how-can-i-pay');
  await waitFor(() => expect(box('How can I pay?').open).toBe(true));
  expect(document.activeElement?.textContent).toContain('How can I pay?');
  expect(led).toHaveBeenCalledTimes(1);
  expect(all().filter(({ open }) => open)).toHaveLength(4);
});

test('the link of an answer leads to it each time it is followed', async () => {
  open('/faq#how-can-i-pay');
  await waitFor(() => expect(led).toHaveBeenCalledTimes(1));
  const link = within(box('How can I pay?')).getByText('Link to this answer');
  for (const times of [2, 3]) {
    await userEvent.click(link);
    await waitFor(() => expect(led).toHaveBeenCalledTimes(times));
    expect(document.activeElement?.textContent).toContain('How can I pay?');
  }
});

test('a link to nothing that is here changes nothing', async () => {
  for (const hash of ['#who-knows', '#%E0%A4%A', '#main']) {
    open(`/faq${hash}`);
    await act(() => new Promise((done) => requestAnimationFrame(done)));
  }
  expect(led).not.toHaveBeenCalled();
  expect(document.querySelectorAll('details[data-question][open]')).toHaveLength(0);
});

test('all can be opened and closed at once; closed groups open again', async () => {
  open();
  const person = userEvent.setup();
  box('General Questions').open = false;
  await person.click(screen.getByRole('button', { name: 'Expand all' }));
  expect(all().every(({ open }) => open)).toBe(true);
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Collapse all' }));
  expect(all().filter(({ open }) => open)).toHaveLength(3);
});

test('every question has an address of its own', () => {
  const questions = practiceFixture().faqGroups.flatMap(({ faqs }) => faqs);
  const anchors = questions.map(({ question }) => anchorOf(question));
  expect(new Set(anchors).size).toBe(14);
  for (const anchor of anchors) expect(anchor).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(anchorOf('Is what I’m told “kept” confidential?')).toBe(
    'is-what-im-told-kept-confidential',
  );
  expect(anchorIn('#how-can-i-pay')).toBe('how-can-i-pay');
  expect(anchorIn('#%E0%A4%A')).toBe('');
  expect(anchorIn('')).toBe('');
});
