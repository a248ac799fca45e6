/** Correcting name, phone and note of a booking: once, however often the button is pressed. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import { describeError } from '@/lib/errors';
import { useFields } from '@/lib/use-fields';
import { contactField, validateContact } from '../../shared/contact-rules';
import type { ContactValues } from '../../shared/draft';
import { useAttemptKey } from '../../shared/hooks/use-attempt-key';

/** The address is not typed here. */
function validate(values: ContactValues) {
  const { email: _stays, ...found } = validateContact(values);
  return found;
}

/** The input that a refusal means: the call names the contact's fields without the contact. */
function fieldOf(path: string) {
  const field = contactField(path) ?? contactField(`contact.${path}`);
  return field === 'email' ? undefined : field;
}

export function contactOf({ contact }: Booking): ContactValues {
  const { firstName = '', lastName = '', email = '', phone = '', notes = '' } = contact ?? {};
  return { firstName, lastName, email, phone, notes };
}

export function useCorrectContact(booking: Booking, onDone: (after: Booking) => void) {
  const client = createClient(BookingService, useTransport());
  const attempt = useAttemptKey();
  const fields = useFields<ContactValues>(contactOf(booking), validate);
  const correct = useMutation({
    mutationFn: async ({ firstName, lastName, phone, notes }: ContactValues) => {
      const typed = { firstName, lastName, phone, notes };
      const { booking: after } = await client.correctContact({
        idempotencyKey: attempt.keyOf(JSON.stringify(typed)),
        bookingId: booking.bookingId,
        ...typed,
      });
      if (!after) throw new Error('The answer holds no booking.');
      return after;
    },
    onSuccess: onDone,
    onError: (error) => {
      const { field, message, lost, retryable } = describeError(error);
      if (!lost && !retryable) attempt.forget();
      const named = fieldOf(field);
      if (named) fields.refuse({ [named]: message });
    },
  });

  function submit(): void {
    if (correct.isPending || !fields.check()) return;
    const trimmed = Object.entries(fields.values).map(([name, value]) => [name, value.trim()]);
    correct.mutate(Object.fromEntries(trimmed) as ContactValues);
  }

  const problem = correct.error ? describeError(correct.error) : undefined;
  const isOfField = problem !== undefined && fieldOf(problem.field) !== undefined;
  return {
    fields,
    submit,
    busy: correct.isPending,
    /** What stands beside no field. */
    error: isOfField ? null : correct.error,
    isLost: problem !== undefined && (problem.lost || problem.retryable),
  };
}
