/**
 * The calendar files that booking writes, read by Mozilla's parser: it finds in them what was booked.
 * A test of booking keeps the files equal to what its code writes, and has them read by a third
 * program, with the same expectations.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';

const CALENDAR = resolve(import.meta.dirname, '../../../../../services/booking/src/grpc/calendar');
const SNAPSHOTS = join(CALENDAR, 'tests/snapshots');

interface Booked {
  file: string;
  method: string;
  uid: string;
  sequence: number;
  status: string;
  summary: string;
  start: string;
  end: string;
  stamp: string;
  zone: string;
  location: string | null;
  url: string | null;
  description: string | null;
  organizer: string;
  organizer_name: string;
  alarm_seconds: number | null;
}

const booked: Booked[] = JSON.parse(readFileSync(join(CALENDAR, 'booked.json'), 'utf8'));

function written(name: string): string {
  const file = `booking__grpc__calendar__tests__read_by_others__${name}.snap.ics`;
  return readFileSync(join(SNAPSHOTS, file), 'utf8');
}

/** A property that is there at most once. */
function said(component: ICAL.Component, name: string): string | null {
  const properties = component.getAllProperties(name);
  expect(properties.length).toBeLessThan(2);
  const value = properties[0]?.getFirstValue();
  return value === undefined || value === null ? null : String(value);
}

/** An instant, which must not depend on the reader's zone. */
function instant(component: ICAL.Component, name: string): string {
  const time = component.getFirstPropertyValue(name);
  expect(time).toBeInstanceOf(ICAL.Time);
  const known = time as ICAL.Time;
  expect(known.zone).toBe(ICAL.Timezone.utcTimezone);
  return known.toJSDate().toISOString().replace('.000Z', 'Z');
}

/** How long before its start a session's calendar reminds. */
function alarm(event: ICAL.Component): number | null {
  const trigger = event.getFirstSubcomponent('valarm')?.getFirstPropertyValue('trigger');
  if (trigger === undefined || trigger === null) return null;
  expect(trigger).toBeInstanceOf(ICAL.Duration);
  return -(trigger as ICAL.Duration).toSeconds();
}

function read(name: string): Booked {
  const root = new ICAL.Component(ICAL.parse(written(name)));
  const events = root.getAllSubcomponents();
  expect(events.map((event) => event.name)).toEqual(['vevent']);
  const event = events[0] as ICAL.Component;
  return {
    file: name,
    method: said(root, 'method') ?? '',
    uid: said(event, 'uid') ?? '',
    sequence: Number(said(event, 'sequence')),
    status: said(event, 'status') ?? '',
    summary: said(event, 'summary') ?? '',
    start: instant(event, 'dtstart'),
    end: instant(event, 'dtend'),
    stamp: instant(event, 'dtstamp'),
    zone: said(root, 'x-wr-timezone') ?? '',
    location: said(event, 'location'),
    url: said(event, 'url'),
    description: said(event, 'description'),
    organizer: said(event, 'organizer') ?? '',
    organizer_name: event.getFirstProperty('organizer')?.getFirstParameter('cn') ?? '',
    alarm_seconds: alarm(event),
  };
}

describe('a calendar file', () => {
  it.each(booked)('says what was booked: $file', (expected) => {
    expect(read(expected.file)).toEqual(expected);
  });

  it('puts a session where its length says', () => {
    for (const { file } of booked) {
      const component = new ICAL.Component(ICAL.parse(written(file)));
      const event = new ICAL.Event(component.getFirstSubcomponent('vevent') as ICAL.Component);
      expect(event.duration.toSeconds()).toBe(90 * 60);
      expect(event.isRecurring()).toBe(false);
    }
  });
});
