/** /organisation as each role sees it, with a server that a test plays. */
import { create } from '@bufbuild/protobuf';
import { Code, createRouterTransport } from '@connectrpc/connect';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import {
  type Invitation,
  InvitationSchema,
  InvitationState,
  type Member,
  MemberSchema,
  MembershipChangeKind,
  OrganisationService,
  OrganisationStaffService,
} from '@/gen/booking/v1/organisation_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { OrganisationPage } from './organisation-page';

const auth = vi.hoisted(() => ({ current: {} as object }));
vi.mock('@/lib/auth', () => ({ useAuth: () => auth.current, signOut: () => undefined }));

const SINCE = at('2026-11-20T05:30:00Z');

function member(userId: string, email: string, role: StaffRole, mayChange = true): Member {
  const isCaller = userId === 'usr_own';
  return create(MemberSchema, { userId, email, role, sinceAt: SINCE, isCaller, mayChange });
}

function invitation(email: string, state: InvitationState): Invitation {
  return create(InvitationSchema, {
    invitationId: `inv_${email}`,
    email,
    role: StaffRole.ADMIN,
    state,
    invitedAt: SINCE,
    expiresAt: at('2026-11-22T05:30:00Z'),
    mayChange: true,
  });
}

const server = {
  role: StaffRole.OWNER as StaffRole | undefined,
  members: [] as Member[],
  invitations: [] as Invitation[],
  keys: [] as string[],
  lastOwner: false,
  secondStepUsed: true,
  down: false,
};

/** Refuses what staff do while their session has not used its second step. */
function letIn<T>(answer: T): T {
  if (server.secondStepUsed) return answer;
  throw refusal(Code.PermissionDenied, 'SECOND_FACTOR_REQUIRED');
}

beforeEach(() => {
  auth.current = { status: 'signed-in', user: { id: 'own' } };
  server.role = StaffRole.OWNER;
  server.members = [
    member('usr_own', 'meera@practice.example', StaffRole.OWNER),
    member('usr_0000aaaaaa', '', StaffRole.FRONT_DESK),
  ];
  server.invitations = [];
  server.keys = [];
  server.lastOwner = true;
  server.secondStepUsed = true;
  server.down = false;
});

const transport = createRouterTransport(({ service }) => {
  service(OrganisationService, {
    listMyMemberships: () => {
      if (server.down) throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
      return { memberships: server.role ? [{ role: server.role, practiceName: 'Sukoon' }] : [] };
    },
    leavePractice: () => {
      if (server.lastOwner) throw refusal(Code.FailedPrecondition, 'LAST_OWNER');
      server.role = undefined;
      return {};
    },
  });
  service(OrganisationStaffService, {
    listMembers: () => letIn({ members: server.members }),
    listInvitations: () => letIn({ invitations: server.invitations }),
    listMembershipChanges: () =>
      letIn({
        changes: [
          {
            changedAt: SINCE,
            actor: 'operator',
            kind: MembershipChangeKind.GRANTED,
            userId: 'usr_own',
            email: 'meera@practice.example',
            roleAfter: StaffRole.OWNER,
          },
        ],
      }),
    inviteMember: ({ email, idempotencyKey }) => {
      server.keys.push(idempotencyKey);
      if (server.invitations.some((known) => known.email === email)) {
        throw refusal(Code.AlreadyExists, 'ALREADY_INVITED', { field: 'email' });
      }
      server.invitations = [invitation(email, InvitationState.PENDING)];
      return { invitation: server.invitations[0] };
    },
    withdrawInvitation: ({ invitationId }) => {
      const email = invitationId.replace('inv_', '');
      server.invitations = [invitation(email, InvitationState.WITHDRAWN)];
      return { invitation: server.invitations[0] };
    },
    changeRole: ({ userId, role }) => {
      if (role === StaffRole.OWNER && server.role !== StaffRole.OWNER) {
        throw refusal(Code.PermissionDenied, 'ROLE_ABOVE_OWN');
      }
      server.members = server.members.map((it) => (it.userId === userId ? { ...it, role } : it));
      return {};
    },
    removeMember: ({ userId }) => {
      server.members = server.members.filter((it) => it.userId !== userId);
      return {};
    },
  });
});

function open() {
  renderApp(
    <main>
      <OrganisationPage />
    </main>,
    { path: '/organisation', transport },
  );
  return userEvent.setup();
}

const section = async (title: string) => {
  const heading = await screen.findByRole('heading', { level: 2, name: title });
  return within(heading.closest('.rounded-card') as HTMLElement);
};

test('a client is told how to become a member, and sees no list', async () => {
  server.role = undefined;
  open();
  expect(await screen.findByText(/not a member of the practice/)).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Members' })).toBeNull();
});

test('the front desk sees its own membership alone', async () => {
  server.role = StaffRole.FRONT_DESK;
  open();
  expect(await screen.findByText('Front desk')).toBeTruthy();
  await expectAccessible();
  expect(screen.queryByRole('heading', { name: 'Members' })).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Invite a Member' })).toBeNull();
});

test('a session without its second step is told so once for the page', async () => {
  server.secondStepUsed = false;
  open();
  const link = await screen.findByRole('link', { name: 'Go to the Second Step' });
  await expectAccessible();
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Forganisation');
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'Members' })).toBeNull());
  expect(screen.getAllByText('Your second step is needed')).toHaveLength(1);
  // What needs no second step stays.
  expect(screen.getByRole('button', { name: 'Leave the practice' })).toBeTruthy();
});

test('who is signed out is led to sign in', () => {
  auth.current = { status: 'signed-out', user: undefined };
  open();
  const link = screen.getByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Forganisation');
});

test('an address is invited, and its invitation withdrawn', async () => {
  const person = open();
  const list = await section('Invitations');
  expect(await list.findByText('No address was invited in the last 90 days.')).toBeTruthy();
  await person.type(screen.getByLabelText('Email'), 'priya@practice.example');
  await person.click(screen.getByRole('button', { name: 'Send the Invitation' }));
  expect(await list.findByText('priya@practice.example')).toBeTruthy();
  expect(list.getByText('Pending')).toBeTruthy();
  // The form is empty again, and has the focus.
  const field = screen.getByLabelText('Email') as HTMLInputElement;
  expect(field.value).toBe('');
  expect(document.activeElement).toBe(field);
  const withdraw = 'Withdraw the invitation of priya@practice.example';
  await person.click(list.getByRole('button', { name: withdraw }));
  expect(await list.findByText('Withdrawn')).toBeTruthy();
  expect(list.queryByRole('button', { name: withdraw })).toBeNull();
});

test('marks of a messenger around an address are not refused by the browser', async () => {
  const person = open();
  const field = (await screen.findByLabelText('Email')) as HTMLInputElement;
  await person.click(field);
  await person.paste('\u202apriya@practice.example\u202c\u200f');
  expect(field.value).toBe('priya@practice.example');
  expect(field.validity.valid).toBe(true);
});

test('what is typed stays where the next look fails', async () => {
  const person = open();
  await person.type(await screen.findByLabelText('Email'), 'priya@practice.example');
  server.down = true;
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await screen.findByRole('alert');
  expect(screen.getByLabelText('Email')).toHaveProperty('value', 'priya@practice.example');
});

test('what is wrong with an address stands beside its field, and the words stay', async () => {
  server.invitations = [invitation('priya@practice.example', InvitationState.PENDING)];
  const person = open();
  await person.type(await screen.findByLabelText('Email'), 'priya@practice.example');
  const send = screen.getByRole('button', { name: 'Send the Invitation' });
  await person.click(send);
  const field = screen.getByLabelText('Email') as HTMLInputElement;
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(field.value).toBe('priya@practice.example');
  // The same content has the same key.
  await person.click(send);
  await waitFor(() => expect(server.keys.length).toBe(2));
  expect(new Set(server.keys).size).toBe(1);
});

test('a role is changed and a member removed, after a question', async () => {
  const person = open();
  const members = await section('Members');
  const name = 'Account aaaaaa';
  await person.click(await members.findByRole('button', { name: `Change the role of ${name}` }));
  const dialog = within(await screen.findByRole('dialog'));
  await person.selectOptions(dialog.getByLabelText('Role'), 'Owner');
  expect(dialog.getByText('An owner can do everything')).toBeTruthy();
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(members.getAllByText('Owner').length).toBe(2));
  await person.click(members.getByRole('button', { name: `Remove ${name}` }));
  const question = within(await screen.findByRole('dialog'));
  expect(server.members.length).toBe(2);
  await person.click(question.getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(members.queryByText(name)).toBeNull());
});

test('an admin cannot choose the role of an owner', async () => {
  server.role = StaffRole.ADMIN;
  open();
  const role = (await screen.findByLabelText('Role')) as HTMLSelectElement;
  const labels = [...role.options].map(({ text }) => text);
  expect(labels).toEqual(['Admin', 'Practitioner', 'Front desk']);
});

test('the last owner is told why leaving is not possible', async () => {
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Leave the practice' }));
  const dialog = within(await screen.findByRole('dialog'));
  await person.click(dialog.getByRole('button', { name: 'Leave' }));
  expect(await dialog.findByRole('alert')).toBeTruthy();
  server.lastOwner = false;
  await person.click(dialog.getByRole('button', { name: 'Leave' }));
  expect(await screen.findByText(/not a member of the practice/)).toBeTruthy();
});

test('the audit trail says who changed what', async () => {
  open();
  const changes = await section('What Has Changed');
  expect(await changes.findByText('The operator')).toBeTruthy();
  await expectAccessible();
  expect(changes.getByText(/made meera@practice.example Owner/)).toBeTruthy();
});
