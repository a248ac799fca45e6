/** The caller's membership, and what owners and admins do with members and invitations. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import {
  OrganisationService,
  OrganisationStaffService,
} from '@/gen/booking/v1/organisation_service_pb';
import { needsSecondStep } from '@/lib/errors';
import { endAttempt, keyOfAttempt } from '@/lib/idempotency-key';
import { randomKey } from '@/lib/random-key';

const LISTS = 'organisation';
const MEMBERSHIPS = 'memberships';
const INVITE = 'inviteMember';

function useClients() {
  const transport = useTransport();
  return useMemo(
    () => ({
      own: createClient(OrganisationService, transport),
      staff: createClient(OrganisationStaffService, transport),
    }),
    [transport],
  );
}

/** The caller's membership; null for an account that has none. */
export function useMembership(userId: string | undefined) {
  const { own } = useClients();
  return useQuery({
    queryKey: [MEMBERSHIPS, userId],
    enabled: userId !== undefined,
    queryFn: async ({ signal }) =>
      (await own.listMyMemberships({}, { signal })).memberships[0] ?? null,
  });
}

export function useMembers() {
  const { staff } = useClients();
  return useQuery({
    queryKey: [LISTS, 'members'],
    queryFn: async ({ signal }) => (await staff.listMembers({}, { signal })).members,
  });
}

export function useInvitations() {
  const { staff } = useClients();
  return useQuery({
    queryKey: [LISTS, 'invitations'],
    queryFn: async ({ signal }) => (await staff.listInvitations({}, { signal })).invitations,
  });
}

export function useMembershipChanges() {
  const { staff } = useClients();
  return useQuery({
    queryKey: [LISTS, 'changes'],
    queryFn: async ({ signal }) => (await staff.listMembershipChanges({}, { signal })).changes,
  });
}

/** The refusal of a list whose reason is that the session has not used its second step. */
export function useLacksSecondStep(): unknown {
  const lists = [useMembers(), useInvitations(), useMembershipChanges()];
  return lists.find(({ error }) => error && needsSecondStep(error))?.error;
}

/** Reads all lists again, and the own membership, which a change may have been about. */
function useRefresh(): () => void {
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries({ queryKey: [LISTS] });
    void queryClient.invalidateQueries({ queryKey: [MEMBERSHIPS] });
  };
}

export type NewMember = { email: string; role: StaffRole; practitionerId: string };

export function useInvite() {
  const { staff } = useClients();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (asked: NewMember) => {
      const parts = [asked.email, String(asked.role), asked.practitionerId];
      return staff.inviteMember({ ...asked, idempotencyKey: keyOfAttempt(INVITE, parts) });
    },
    onSuccess: () => {
      endAttempt(INVITE);
      refresh();
    },
  });
}

/** What is done with an invitation that was sent. */
export function useInvitationActions() {
  const { staff } = useClients();
  const refresh = useRefresh();
  const resend = useMutation({
    mutationFn: (invitationId: string) =>
      staff.resendInvitation({ invitationId, idempotencyKey: randomKey() }),
    onSuccess: refresh,
  });
  const withdraw = useMutation({
    mutationFn: (invitationId: string) => staff.withdrawInvitation({ invitationId }),
    onSuccess: refresh,
  });
  return { resend, withdraw };
}

export type RoleChange = { userId: string; role: StaffRole; practitionerId: string };

/** What is done with a member; where it fails, the list may have changed and is read again. */
export function useMemberActions() {
  const { own, staff } = useClients();
  const refresh = useRefresh();
  const changeRole = useMutation({
    mutationFn: (change: RoleChange) => staff.changeRole(change),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: (userId: string) => staff.removeMember({ userId }),
    onSettled: refresh,
  });
  const leave = useMutation({ mutationFn: () => own.leavePractice({}), onSettled: refresh });
  return { changeRole, remove, leave };
}
