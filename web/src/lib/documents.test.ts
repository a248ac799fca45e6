import { expect, test } from 'vitest';
import { crossesDocument } from './documents';

test('the booking flow is entered and left by a full navigation', () => {
  expect(crossesDocument('/services', '/booking-flow?service=meditation')).toBe(true);
  expect(crossesDocument('/booking-flow', '/services')).toBe(true);
});

test('inside a document the router is enough', () => {
  expect(crossesDocument('/', '/services')).toBe(false);
  expect(crossesDocument('/booking-flow', '/booking-flow?step=payment#top')).toBe(false);
  expect(crossesDocument('/booking-flow-notes', '/')).toBe(false);
});
