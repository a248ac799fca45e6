import { beforeAll, expect, test } from 'vitest';
import { practiceFixture } from '@/testing/practice-fixture';
import { allCards, CARD_HEIGHT, CARD_WIDTH, cardOf } from './card';
import { drawPictures, type Pictures } from './card-pictures';
import { linesOf, outlined, readTypefaces, type Typefaces, widthOf } from './card-text';

let faces: Typefaces;
let drawn: Pictures;

function sizeOf(png: Uint8Array): [number, number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

beforeAll(async () => {
  faces = await readTypefaces();
  const snapshot = practiceFixture();
  snapshot.practice.name = '</text><script>"&';
  const [first] = snapshot.services;
  if (first)
    first.title = 'Ein Wort, das länger ist als jede Zeile: Wohlbefindensberatungsgespräch';
  const some = ['/', '/reviews', `/service/${first?.serviceId}`];
  drawn = await drawPictures(
    some.map((path) => cardOf(path, snapshot)),
    snapshot,
  );
}, 60_000);

test('each page of its own and each service has a card, and other pages the welcome page’s', () => {
  const snapshot = practiceFixture();
  expect(allCards(snapshot)).toHaveLength(9 + 7);
  expect(cardOf('/about', snapshot).title).toBe(`Meet ${snapshot.practice.practitionerName}`);
  expect(cardOf('/services/meditation', snapshot).name).toBe('service-meditation');
  expect(cardOf('/booking-flow', snapshot).name).toBe('home');
  expect(cardOf('/service/levitation', snapshot).name).toBe('home');
});

test('cards are pictures of the size that their pages name, whatever the texts are', () => {
  expect(drawn.cards).toHaveLength(3);
  for (const { name, picture } of drawn.cards) {
    expect(sizeOf(picture), name).toEqual([CARD_WIDTH, CARD_HEIGHT]);
    expect(picture.length, name).toBeLessThanOrEqual(150_000);
  }
});

test('the mark is a picture of the size that phones ask for', () => {
  expect(sizeOf(drawn.icon)).toEqual([180, 180]);
});

test('lines end where the space does', () => {
  const lines = linesOf(faces.display, 'Holistic healing and counselling', 78, 580);
  expect(lines.join(' ')).toBe('Holistic healing and counselling');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(widthOf(faces.display, line, 78)).toBeLessThanOrEqual(580);
});

test('letters become outlines, and letters that the typeface lacks are left out', () => {
  const place = { x: 1, y: 2, size: 20, fill: '#000' };
  expect(outlined(faces.text, 'ab', place).match(/<path/g)).toHaveLength(2);
  expect(outlined(faces.text, 'aध्यान', place).match(/<path/g)).toHaveLength(1);
  expect(outlined(faces.text, '<&"', place)).not.toMatch(/<&|"&/);
});
