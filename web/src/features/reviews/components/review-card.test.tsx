import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '@/testing/render-app';
import { reviewFixture } from '@/testing/review-fixture';
import { ReviewCard } from './review-card';

const IMAGE = {
  path: '/pictures/a-large.webp',
  smallPath: '/pictures/a-small.webp',
  width: 1600,
  height: 800,
};

test('a card on a page about something else says what it is', () => {
  renderApp(<ReviewCard review={reviewFixture(1)} labelled />);
  expect(screen.getByText('User Review')).toBeTruthy();
});

test('a picture is small, waits until it is needed and keeps its room', () => {
  renderApp(<ReviewCard review={reviewFixture(1, { image: IMAGE })} />);
  const picture = screen.getByAltText('Photo from Writer 1');
  expect(picture.getAttribute('src')).toBe('/pictures/a-small.webp');
  expect(picture.getAttribute('loading')).toBe('lazy');
  expect([picture.getAttribute('width'), picture.getAttribute('height')]).toEqual(['480', '240']);
});

test('a picture that cannot be had is hidden', () => {
  renderApp(<ReviewCard review={reviewFixture(1, { image: IMAGE })} />);
  fireEvent.error(screen.getByAltText('Photo from Writer 1'));
  expect(screen.queryByRole('img', { name: /^Photo/ })).toBeNull();
  expect(screen.getByText('Text 1')).toBeTruthy();
});
