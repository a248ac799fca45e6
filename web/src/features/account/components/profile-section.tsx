import type { User } from '@supabase/auth-js';
import type { FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { NameFields, PhoneField } from '@/components/ui/contact-fields';
import { ErrorSummary } from '@/components/ui/error-summary';
import { toast } from '@/components/ui/toast-store';
import { useFields } from '@/lib/use-fields';
import { type ProfileValues, validateProfile } from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { useOwnUser, useRefreshAccount } from '../hooks/use-own-user';
import { ProblemNotice } from './account-problem';
import { Read, Section } from './section';

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function profileOf({ user_metadata: data }: User): ProfileValues {
  return {
    firstName: text(data.firstName) || text(data.first_name),
    lastName: text(data.lastName) || text(data.last_name),
    phone: text(data.phone),
  };
}

type ProfileFormProps = { user: User; onSaved: () => void };

function ProfileForm({ user, onSaved }: ProfileFormProps) {
  const fields = useFields<ProfileValues>(profileOf(user), validateProfile);
  const call = useAuthCall();

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (call.busy || !fields.check()) return;
    const { firstName, lastName, phone } = fields.values;
    const data = { firstName: firstName.trim(), lastName: lastName.trim(), phone: phone.trim() };
    const answer = await call.run((client) => client.updateUser({ data }));
    if (!('data' in answer)) return;
    toast({ title: 'Saved', description: 'Your next booking is filled in with it.' });
    onSaved();
  }

  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      <ProblemNotice problem={call.problem} />
      <div className="grid gap-5 sm:grid-cols-2">
        <NameFields fields={fields} lastOptional />
      </div>
      <PhoneField optional {...fields.input('phone')} />
      <Button type="submit" className="self-start" busy={call.busy} busyText="Saving…">
        Save
      </Button>
    </form>
  );
}

/** Names and phone number. */
export function ProfileSection({ userId }: { userId: string }) {
  const reading = useOwnUser(userId);
  const refresh = useRefreshAccount(userId);
  return (
    <Section title="About you" lead="We fill your bookings in with this.">
      <Read reading={reading} missing="Your details could not be read">
        {(user) => <ProfileForm user={user} onSaved={() => void refresh('user')} />}
      </Read>
    </Section>
  );
}
