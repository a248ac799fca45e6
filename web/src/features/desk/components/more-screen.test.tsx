/** The desk's further ways: what each role is led to, and the ways out. */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { MoreScreen } from './more-screen';

const signOut = vi.hoisted(() => vi.fn());
vi.mock('@/lib/auth', () => ({
  signOut,
  useAuth: () => ({ status: 'signed-in', user: { firstName: 'Meera', lastName: 'Joshi' } }),
}));

function open(role: StaffRole) {
  const onReviews = vi.fn();
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>
        <MoreScreen onReviews={onReviews} />
      </main>
      <Toaster />
    </MemberContext>,
    { path: '/desk/more' },
  );
  return { person: userEvent.setup(), onReviews };
}

const targets = () => screen.getAllByRole('link').map((link) => link.getAttribute('href'));

test.each([StaffRole.OWNER, StaffRole.ADMIN])(
  'an owner or admin (%i) moderates and invites',
  async (role) => {
    const { person, onReviews } = open(role);
    expect(targets()).toEqual([
      ...['/desk/find', '/desk/waiting', '/organisation', '/', '/account', '/account/sessions'],
    ]);
    screen.getByRole('link', { name: /^Members and invitations/ });
    await person.click(screen.getByRole('button', { name: /^Reviews/ }));
    expect(onReviews).toHaveBeenCalledOnce();
    await expectAccessible();
  },
);

test.each([
  [StaffRole.FRONT_DESK, 'front desk'],
  [StaffRole.PRACTITIONER, 'practitioner'],
])('another role (%i) is led to no reviews, and to its own membership', async (role, word) => {
  open(role);
  expect(screen.queryByRole('button', { name: /^Reviews/ })).toBeNull();
  screen.getByRole('link', { name: /^Your membership/ });
  screen.getByText((_, it) => it?.textContent === `Meera Joshi, ${word}`);
  await expectAccessible();
});

test.each([
  [StaffRole.OWNER, true],
  [StaffRole.ADMIN, true],
  [StaffRole.FRONT_DESK, true],
  [StaffRole.PRACTITIONER, false],
])('the wait list is for those who keep it (%i: %s)', (role, keeps) => {
  open(role);
  expect(targets().includes('/desk/waiting')).toBe(keeps);
});

test('the way to Find is for narrow screens only: the rail of a wide one has it', () => {
  open(StaffRole.OWNER);
  const [first, ...rest] = within(
    screen.getByRole('region', { name: 'The practice' }),
  ).getAllByRole('listitem');
  expect(first?.className).toContain('lg:hidden');
  expect(rest.some((it) => it.className.includes('lg:hidden'))).toBe(false);
});

test('Sign out ends the session', async () => {
  const { person } = open(StaffRole.FRONT_DESK);
  await person.click(screen.getByRole('button', { name: 'Sign out' }));
  expect(signOut).toHaveBeenCalledWith('links');
  await screen.findByText('Signed out');
});
