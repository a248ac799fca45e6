/** Sending the form: every refusal has a message, and nothing typed is lost. */
import { useTransport } from '@connectrpc/connect-query';
import { useEffect, useState } from 'react';
import { useAuth } from '@/lib/auth';
import { useBackgroundMutation } from '@/lib/background-mutation';
import { onFirstInteraction } from '@/lib/on-first-interaction';
import { useDraftFields } from '@/lib/use-draft-fields';
import type { Outcome } from '../api/send-message';
import { CONTACT_FORM } from '../contact-draft';
import type { ContactProblem } from '../contact-messages';
import { type ContactValues, isIncomplete } from '../contact-rules';
import { sending as attempt, loadCalls, send } from '../sending';

/** `onSent` is called while the form is on the page; it leaves an empty form. */
export function useContactForm(onSent: () => void) {
  const { user } = useAuth();
  const transport = useTransport();
  const fields = useDraftFields<ContactValues>(CONTACT_FORM, user);
  const [website, setWebsite] = useState('');
  const [problem, setProblem] = useState<ContactProblem>();
  const sending = useBackgroundMutation(attempt, take);

  useEffect(() => onFirstInteraction(() => void loadCalls().catch(() => undefined)), []);

  function take(outcome: Outcome): void {
    if (outcome.kind === 'fields') fields.refuse(outcome.errors);
    if (outcome.kind === 'problem') setProblem(outcome.problem);
    if (outcome.kind === 'sent') onSent();
  }

  return {
    fields,
    website,
    setWebsite,
    sending,
    problem,
    incomplete: isIncomplete(fields.values, fields.errors),
    submit: () => {
      if (attempt.isRunning()) return;
      setProblem(undefined);
      if (fields.check()) void send({ transport, values: fields.values, website });
    },
  };
}

export type ContactFormState = ReturnType<typeof useContactForm>;
