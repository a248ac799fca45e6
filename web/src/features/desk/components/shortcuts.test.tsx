/** The desk's single keys: what they do, when they are silent, and how they are switched off. */
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { DeskServer, staffBooking } from '@/testing/desk-server';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { shortcutsOf } from '../model/shortcuts';
import { CalendarScreen } from './calendar-screen';
import { FindScreen } from './find-screen';
import { MoreScreen } from './more-screen';
import { Shortcuts } from './shortcuts';
import { TodayScreen } from './today-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined, useAuth: () => ({ user: undefined }) }));

const NOON = Date.parse('2026-11-24T06:30:00Z');
const hours = (count: number) => new Date(NOON + count * 3_600_000);

function Screens() {
  const { pathname, search } = useLocation();
  const [, , screenName, id] = pathname.split('/');
  return (
    <>
      <output>{`${pathname}${search}`}</output>
      <main>
        {screenName === 'find' ? <FindScreen /> : null}
        {screenName === 'calendar' ? <CalendarScreen /> : null}
        {screenName === 'more' ? <MoreScreen onReviews={() => {}} /> : null}
        {screenName === undefined || screenName === 'day' ? (
          <TodayScreen key={id} params={{ id }} />
        ) : null}
      </main>
    </>
  );
}

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOON });
  localStorage.removeItem('deskKeys');
  server = new DeskServer();
  server.bookings = [staffBooking(1, hours(2)), staffBooking(2, hours(4))];
});

afterEach(() => localStorage.removeItem('deskKeys'));

function open(path = '/desk', role = StaffRole.OWNER) {
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <Screens />
      <Shortcuts />
    </MemberContext>,
    { path, transport: server.transport() },
  );
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

const address = () =>
  screen.getAllByRole('status').find((it) => it.tagName === 'OUTPUT')?.textContent;

test('keys lead to the screens, and the one to Find into its field', async () => {
  const person = open();
  await person.keyboard('c');
  expect(address()).toBe('/desk/calendar');
  await person.keyboard('n');
  expect(address()).toBe('/desk/new');
  await person.keyboard('w');
  expect(address()).toBe('/desk/waiting');
  await person.keyboard('T');
  expect(address()).toBe('/desk');
  await person.keyboard('/');
  expect(address()).toBe('/desk/find');
  const field = await screen.findByLabelText('Name, phone, email or reference');
  await waitFor(() => expect(document.activeElement).toBe(field));
});

test('a practitioner has no wait list, and no key for it', async () => {
  await open('/desk', StaffRole.PRACTITIONER).keyboard('w');
  expect(address()).toBe('/desk');
  const labels = shortcutsOf(StaffRole.PRACTITIONER).map(({ label }) => label);
  expect(labels).not.toContain('Wait list');
});

test('in a field keys are letters, and with a modifier they are the browser’s', async () => {
  const person = open('/desk/find');
  const field = await screen.findByLabelText<HTMLInputElement>('Name, phone, email or reference');
  await person.type(field, 'tc/?n');
  expect(field.value).toBe('tc/?n');
  expect(address()).toBe('/desk/find');
  act(() => field.blur());
  await person.keyboard('{Control>}t{/Control}{Meta>}c{/Meta}{Alt>}n{/Alt}');
  expect(address()).toBe('/desk/find');
  await person.keyboard('/');
  expect(document.activeElement).toBe(field);
  expect(field.value).toBe('tc/?n');
});

test('brackets go through the days and the weeks', async () => {
  const person = open();
  await person.keyboard(']');
  expect(address()).toBe('/desk/day/2026-11-25');
  await person.keyboard('[[[[');
  expect(address()).toBe('/desk/day/2026-11-23');
  cleanup();
  const next = open('/desk/calendar?view=week&date=2026-11-24');
  await next.keyboard(']');
  expect(address()).toBe('/desk/calendar?view=week&date=2026-12-01');
});

test('j and k go through the rows, and Enter opens one', async () => {
  const person = open();
  await screen.findByRole('button', { name: /^2:00 pm/ });
  const focused = () => document.activeElement?.textContent?.slice(0, 7);
  await person.keyboard('j');
  expect(focused()).toBe('2:00 pm');
  await person.keyboard('jj');
  expect(focused()).toBe('4:00 pm');
  await person.keyboard('k{Enter}');
  await screen.findByRole('dialog', { name: 'Asha Rao' });
  // Behind a dialog no key leads away.
  await person.keyboard('c');
  expect(address()).toBe('/desk');
});

test('? lists them, and they can be switched off, also for the next visit', async () => {
  const person = open();
  await person.keyboard('?');
  const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(
    within(dialog)
      .getAllByRole('term')
      .map((it) => it.textContent),
  ).toEqual(shortcutsOf(StaffRole.OWNER).map(({ key }) => key));
  await expectAccessible();
  await person.click(within(dialog).getByRole('checkbox', { name: 'Single keys act' }));
  await person.click(within(dialog).getAllByRole('button', { name: 'Close' }).at(-1) as Element);
  await person.keyboard('c');
  expect(address()).toBe('/desk');
  cleanup();
  await open().keyboard('c?');
  expect(address()).toBe('/desk');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('More leads to the list where the keys are off, and they act again', async () => {
  localStorage.setItem('deskKeys', 'off');
  const person = open('/desk/more');
  await person.click(screen.getByRole('button', { name: /^Keyboard shortcuts/ }));
  await person.click(await screen.findByRole('checkbox', { name: 'Single keys act' }));
  await person.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) as Element);
  await person.keyboard('c');
  expect(address()).toBe('/desk/calendar');
});

test('no key has two meanings, and each is one sign', () => {
  const keys = shortcutsOf(StaffRole.OWNER).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.filter((key) => key.length !== 1)).toEqual([]);
});
