/** When a client is reminded of sessions, and whether thanks follow them. */
import { type FormEvent, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/checkbox';
import { ErrorNotice } from '@/components/ui/error-notice';
import { describeError, isSessionOver } from '@/lib/errors';
import { useMailPreferences, useSaveMailPreferences } from '../hooks/use-mail-preferences';
import {
  choosable,
  hourWords,
  isSameChoice,
  type MailChoice,
  REMINDER_HOURS,
  REMINDERS_MAX,
  remindersWords,
  toggled,
} from '../mail-preferences';
import { MailLoading } from './mail-loading';

function unsavedTitle(error: unknown): string {
  const { lost, retryable } = describeError(error);
  return lost || retryable ? "We don't know yet whether it is saved" : 'It is not saved';
}

type HoursProps = { hours: readonly number[]; onChange: (hours: number[]) => void };

function Hours({ hours, onChange }: HoursProps) {
  const isFull = hours.length >= REMINDERS_MAX;
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby="reminders-hint">
      <legend className="mb-1 font-semibold">Remind me before each session</legend>
      <p id="reminders-hint" className="text-sm text-ink-2">
        At most two. {isFull ? 'Take one away to choose another one.' : ''}
      </p>
      <div className="grid gap-x-6 sm:grid-cols-3">
        {REMINDER_HOURS.map((hour) => {
          const isChosen = hours.includes(hour);
          return (
            <Checkbox
              key={hour}
              name={`reminder-${hour}`}
              label={`${hourWords(hour)} before`}
              checked={isChosen}
              disabled={isFull && !isChosen}
              onChange={() => onChange(toggled(hours, hour))}
            />
          );
        })}
      </div>
      <p role="status" className="empty:hidden">
        {hours.length === 0
          ? "You'll get no reminder. The confirmation and changes still come."
          : ''}
      </p>
    </fieldset>
  );
}

type FormProps = { userId: string; known: MailChoice; chosen: boolean };

function MailForm({ userId, known, chosen }: FormProps) {
  const [typed, setTyped] = useState<MailChoice>();
  // What was changed while it was being saved is kept, and not saved yet.
  const save = useSaveMailPreferences(userId, (saved) =>
    setTyped((now) => (now && isSameChoice(now, saved) ? undefined : now)),
  );
  const choice = typed ?? choosable(known);
  const { mutate, isPending, error, isSuccess } = save;

  function change(part: Partial<MailChoice>) {
    save.reset();
    setTyped({ ...choice, ...part });
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isPending) mutate(choice);
  }

  const isSaved = isSuccess && isSameChoice(choice, known);
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {chosen ? null : (
        <p>You have not chosen yet. The practice's usual: {remindersWords(known.reminderHours)}.</p>
      )}
      <Hours hours={choice.reminderHours} onChange={(hours) => change({ reminderHours: hours })} />
      <Checkbox
        name="thanks"
        label="Thank me after a session, with the way to a review"
        checked={choice.thanks}
        onChange={({ target }) => change({ thanks: target.checked })}
      />
      {error ? <ErrorNotice error={error} title={unsavedTitle(error)} /> : null}
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit" size="sm" busy={isPending} busyText="Saving…">
          Save
        </Button>
        <p role="status">{isSaved ? 'Saved. It holds for all of your sessions.' : ''}</p>
      </div>
    </form>
  );
}

export function MailSection({ userId }: { userId: string }) {
  const { known, error, refetch } = useMailPreferences(userId);
  const failed = error ? <ErrorNotice error={error} onRetry={refetch} /> : null;
  // What was read belongs to a session that has ended.
  if (isSessionOver(error)) return failed;
  return (
    <div className="flex flex-col gap-4">
      {failed}
      {!known && !error ? <MailLoading /> : null}
      {known ? <MailForm userId={userId} known={known.choice} chosen={known.chosen} /> : null}
    </div>
  );
}
