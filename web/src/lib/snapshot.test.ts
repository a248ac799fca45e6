import { expect, test } from 'vitest';
import { practiceFixture } from '@/testing/practice-fixture';
import { parseSnapshot, serializeSnapshot } from './snapshot';

test('a snapshot survives the way through the page, prices included', () => {
  const snapshot = practiceFixture();
  const copy = parseSnapshot(serializeSnapshot(snapshot));
  expect(copy).toEqual(snapshot);
  expect(copy.services[0]?.price?.minorUnits).toBe(50_000n);
});

test('text cannot close the element that it stands in', () => {
  const snapshot = practiceFixture();
  snapshot.practice.name = '</script><script>alert(1)</script>';
  expect(serializeSnapshot(snapshot)).not.toContain('<');
});
