import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { toast } from '@/components/ui/toast-store';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import type { Member } from '@/gen/booking/v1/organisation_service_pb';
import { shownAddress } from '@/lib/shown-address';
import { useClosing } from '../hooks/use-closing';
import { useMemberActions } from '../hooks/use-organisation';
import { OrganisationNotice } from './organisation-notice';
import { linked, RoleFields } from './role-fields';

type MemberDialogProps = { own: StaffRole; member: Member; onClose: () => void };

export function memberName({ email, userId, isCaller }: Member): string {
  const name = shownAddress(email) || `Account ${userId.slice(-6)}`;
  return isCaller ? `${name} (you)` : name;
}

/** Changes a member's role. */
export function RoleDialog({ own, member, onClose }: MemberDialogProps) {
  const { role, practitionerId } = member;
  const [choice, setChoice] = useState({ role, practitionerId });
  const { changeRole } = useMemberActions();
  const { open, close } = useClosing(onClose);
  const becomesOwner = choice.role === StaffRole.OWNER && role !== StaffRole.OWNER;

  function save() {
    changeRole.mutate(
      { userId: member.userId, role: choice.role, practitionerId: linked(choice) },
      {
        onSuccess: () => {
          toast({ title: 'Role changed', description: 'It counts from now on.' });
          close();
        },
      },
    );
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title={`Role of ${memberName(member)}`}
      actions={
        <>
          <Button busy={changeRole.isPending} busyText="Saving…" onClick={save}>
            Save
          </Button>
          <Button variant="secondary" onClick={close}>
            Cancel
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <RoleFields own={own} value={choice} onChange={setChoice} />
        {becomesOwner ? (
          <Alert tone="warn" title="An owner can do everything">
            That includes removing you. To hand the practice over, make another member an owner, and
            then leave.
          </Alert>
        ) : null}
        <OrganisationNotice error={changeRole.error} />
      </div>
    </Dialog>
  );
}

type EndDialogProps = { member?: Member; practice: string; onClose: () => void };

/** Removes a member, or without one lets the caller leave. */
export function EndDialog({ member, practice, onClose }: EndDialogProps) {
  const { remove, leave } = useMemberActions();
  const { isPending, error } = member ? remove : leave;
  const { open, close } = useClosing(onClose);
  const title = member ? `Remove ${memberName(member)}?` : `Leave ${practice}?`;

  function end() {
    const onSuccess = () => {
      toast({ title: member ? 'Member removed' : 'You have left', description: practice });
      close();
    };
    if (member) remove.mutate(member.userId, { onSuccess });
    else leave.mutate(undefined, { onSuccess });
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      actions={
        <>
          <Button variant="danger" busy={isPending} onClick={end}>
            {member ? 'Remove' : 'Leave'}
          </Button>
          <Button variant="secondary" onClick={close}>
            Cancel
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <p>
          {member
            ? 'All rights end at once, and so do the invitations that only this member could send.'
            : 'Your rights end at once. To come back you need a new invitation.'}
        </p>
        <OrganisationNotice error={error} />
      </div>
    </Dialog>
  );
}
