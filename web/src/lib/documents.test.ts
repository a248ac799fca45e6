import { expect, test } from 'vitest';
import { crossesDocument } from './documents';

test('the booking flow is entered and left by a full navigation', () => {
  expect(crossesDocument('/services', '/booking-flow?service=meditation')).toBe(true);
  expect(crossesDocument('/booking-flow', '/services')).toBe(true);
});

test('what leads into the booking flow is asked of the server', () => {
  expect(crossesDocument('/services', '/book?service=meditation')).toBe(true);
  expect(crossesDocument('/book', '/booking-flow?service=meditation')).toBe(true);
  expect(crossesDocument('/', '/book-session')).toBe(true);
});

test('inside a document the router is enough', () => {
  expect(crossesDocument('/', '/services')).toBe(false);
  expect(crossesDocument('/booking-flow', '/booking-flow?step=payment#top')).toBe(false);
  expect(crossesDocument('/booking-flow-notes', '/')).toBe(false);
});
