/** Joining the wait list: of a service, or for an earlier time than that of a booking. */
import type { FormEvent, ReactNode } from 'react';
import { PractitionerChoice } from '@/components/practitioner-choice';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CheckboxChips } from '@/components/ui/checkbox-chips';
import { ErrorNotice } from '@/components/ui/error-notice';
import { ErrorSummary } from '@/components/ui/error-summary';
import { SelectField } from '@/components/ui/select-field';
import { TextField } from '@/components/ui/text-field';
import type { Waiting } from '@/gen/booking/v1/waiting_service_pb';
import type { Practitioner } from '@/gen/catalogue/v1/catalogue_service_pb';
import { describeError } from '@/lib/errors';
import { ModeChoice } from '../../shared/components/mode-choice';
import { addDays } from '../../shared/slots';
import { type JoinStart, useJoinForm } from '../hooks/use-join-form';
import { DAY_PARTS, HOW_OFFERED, NOTICES, WAIT_DAYS_MAX, WEEKDAYS } from '../wish';

/** Asks for the proof that the account's address is the client's; a form of its own. */
export type Proof = (onProved: () => void) => ReactNode;

type JoinFormProps = {
  title: string;
  start: JoinStart;
  /** Of which one can be chosen; none where the practitioner is that of a booking. */
  practitioners: readonly Practitioner[];
  /** What is wished for, where that is no service. */
  lead?: string;
  /** Where a client who does not want to wait goes. */
  back: string;
  proof: Proof;
  onJoined: (waiting: Waiting) => void;
};

type Form = ReturnType<typeof useJoinForm>;

function WhenFields({ form, start }: { form: Form; start: JoinStart }) {
  const { fields, pressed, press } = form;
  const max = addDays(start.today, WAIT_DAYS_MAX);
  return (
    <>
      <CheckboxChips
        legend="Which days?"
        name="weekdays"
        options={WEEKDAYS}
        chosen={pressed.weekdays}
        onChange={(weekdays) => press({ weekdays })}
        hint="Choose none, and any day fits."
      />
      <CheckboxChips
        legend="Which part of the day?"
        name="day-parts"
        options={DAY_PARTS}
        chosen={pressed.dayParts}
        onChange={(dayParts) => press({ dayParts })}
        hint="Morning is before 12 pm, evening from 5 pm. Choose none, and any time fits."
      />
      {start.earlierThan ? null : (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="From"
            type="date"
            {...{ min: start.today, max }}
            {...fields.input('fromDate')}
          />
          <TextField
            label="Until"
            type="date"
            {...{ min: start.today, max }}
            {...fields.input('untilDate')}
          />
        </div>
      )}
      <SelectField
        label="Tell me at the latest"
        options={NOTICES}
        hint="Times that become free later than this are not offered to you."
        {...fields.input('notice')}
      />
    </>
  );
}

function failedTitle(error: unknown): string {
  const { lost, reason } = describeError(error);
  if (lost) return "We don't know yet whether you are on the list";
  return reason === 'TOO_MANY_WAITING'
    ? 'You wait for as much as you can'
    : 'You are not on the list yet';
}

export function JoinForm(props: JoinFormProps) {
  const { title, start, practitioners, lead, back, proof, onJoined } = props;
  const form = useJoinForm(start, onJoined);
  const { fields, pressed, press } = form;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    form.submit();
  }

  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-h3">{title}</h2>
      {lead ? <p className="numeric">{lead}</p> : null}
      <p>{HOW_OFFERED}</p>
      <form noValidate onSubmit={onSubmit} className="flex min-w-0 flex-col gap-5">
        <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
        <PractitionerChoice
          all={practitioners}
          chosen={pressed.practitionerId}
          onChoose={(practitionerId) => press({ practitionerId })}
        />
        {start.earlierThan ? null : (
          <ModeChoice inPerson={pressed.inPerson} onChange={(inPerson) => press({ inPerson })} />
        )}
        <WhenFields form={form} start={start} />
        <TextField
          label="First name"
          autoComplete="given-name"
          hint="So that we can greet you."
          {...fields.input('firstName')}
        />
        {form.error ? (
          <ErrorNotice error={form.error} title={failedTitle(form.error)} onRetry={form.submit} />
        ) : null}
        <div className="flex flex-wrap gap-3">
          <Button type="submit" busy={form.isPending} busyText="Joining…">
            Join the wait list
          </Button>
          <Button to={back} variant="secondary">
            Not now
          </Button>
        </div>
      </form>
      {form.needsProof ? proof(form.submit) : null}
    </Card>
  );
}
