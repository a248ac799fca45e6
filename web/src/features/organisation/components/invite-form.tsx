import { type FormEvent, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/text-field';
import { toast } from '@/components/ui/toast-store';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { describeError } from '@/lib/errors';
import { withoutMarks } from '@/lib/typed';
import { useInvite } from '../hooks/use-organisation';
import { OrganisationNotice } from './organisation-notice';
import { linked, type RoleChoice, RoleFields } from './role-fields';

const START: RoleChoice = { role: StaffRole.FRONT_DESK, practitionerId: '' };

/** Invites an address. The answer is the same whether or not the address has an account. */
export function InviteForm({ own }: { own: StaffRole }) {
  const [email, setEmail] = useState('');
  const [choice, setChoice] = useState(START);
  const invite = useInvite();
  const field = useRef<HTMLInputElement>(null);
  const isAboutEmail = invite.error !== null && describeError(invite.error).field === 'email';

  function send(event: FormEvent) {
    event.preventDefault();
    if (invite.isPending) return;
    invite.mutate(
      { email: email.trim(), role: choice.role, practitionerId: linked(choice) },
      {
        onSuccess: () => {
          toast({ title: 'Invitation sent', description: 'It can be accepted for 48 hours.' });
          setEmail('');
          setChoice(START);
          field.current?.focus();
        },
        onError: () => field.current?.focus(),
      },
    );
  }

  return (
    <Card>
      <form onSubmit={send} className="flex flex-col gap-5">
        <h2 className="text-h3">Invite a Member</h2>
        <TextField
          ref={field}
          label="Email"
          name="email"
          type="email"
          autoComplete="off"
          required
          value={email}
          onChange={({ target }) => setEmail(withoutMarks(target.value))}
          hint="We send a link to it. Only an account with this address can accept."
          error={isAboutEmail ? describeError(invite.error).message : undefined}
        />
        <RoleFields own={own} value={choice} onChange={setChoice} />
        {isAboutEmail ? null : <OrganisationNotice error={invite.error} />}
        <Button type="submit" className="self-start" busy={invite.isPending} busyText="Sending…">
          Send the Invitation
        </Button>
      </form>
    </Card>
  );
}
