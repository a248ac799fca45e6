import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { AboutPage } from './about-page';

function open(portraitUrl = '') {
  const snapshot = practiceFixture();
  const { about } = snapshot.practice;
  if (about) about.portraitUrl = portraitUrl;
  renderApp(<AboutPage />, { path: '/about', snapshot });
  if (!about) throw new Error('The fixture says nothing about the practice.');
  return about;
}

test('the story, the qualifications and the philosophy are the practice’s own', () => {
  const about = open();
  for (const paragraph of about.story) expect(screen.getByText(paragraph)).toBeTruthy();
  for (const { title, description } of about.qualifications) {
    expect(screen.getByRole('heading', { level: 3, name: title })).toBeTruthy();
    expect(screen.getByText(description)).toBeTruthy();
  }
  const quote = document.querySelector('blockquote');
  expect(quote?.textContent).toBe(`“${about.philosophy}”`);
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links).toContain('/services');
});

test('the portrait is the practice’s picture, and a drawn one where that cannot be had', () => {
  open('/media/portrait.jpg');
  const picture = screen.getByRole('img', { name: 'Meera Joshi' });
  expect(picture.getAttribute('src')).toBe('/media/portrait.jpg');
  for (const size of ['width', 'height']) expect(picture.getAttribute(size)).toBeTruthy();
  fireEvent.error(picture);
  expect(screen.queryByRole('img', { name: 'Meera Joshi' })).toBeNull();
});
