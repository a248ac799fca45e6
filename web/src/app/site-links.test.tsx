/** What header and footer lead to: the words that visitors know, in their order. */
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Footer } from '@/components/footer';
import { Header } from '@/components/header';
import { renderApp } from '@/testing/render-app';
import { linksAt } from './site-links';

function linksOf(landmark: string, name?: string): HTMLElement[] {
  return within(screen.getByRole(landmark, name ? { name } : {})).getAllByRole('link');
}

test('three links of the header stand before the name, and three behind it', () => {
  renderApp(<Header linksAt={linksAt} />);
  const words = linksOf('navigation', 'Main').map((link) => link.textContent);
  const [first, last] = [words.indexOf('Home'), words.indexOf('Contact')];
  expect(words.slice(first, last + 1)).toEqual([
    ...['Home', 'Services', 'About Us'],
    'Sukoon',
    ...['Reviews', 'FAQ', 'Contact'],
  ]);
});

test('the footer leads to the guide, to three pages, and to the rules', () => {
  renderApp(<Footer linksAt={linksAt} />);
  const words = linksOf('contentinfo').map((link) => link.textContent);
  expect(words.slice(0, 4)).toEqual(['Our 5-step meditation guide', 'Home', 'Services', 'FAQ']);
  expect(words.slice(-4)).toEqual(['Privacy', 'Terms', 'Refunds', 'Cancellation policy']);
  const { textContent } = screen.getByRole('contentinfo');
  expect(textContent).toContain('© 2024, all rights reserved, Sukoon');
  expect(textContent).toContain('Bhopal, Madhya Pradesh');
});
