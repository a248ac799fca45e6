import { Button } from '@/components/ui/button';
import { AccountStep } from '@/features/account/components/account-step';
import { bookPath } from '@/features/booking/book-url';
import { Chosen } from './chosen';
import type { Book } from './use-book';

/** "Asha Devi Rao" → first name "Asha Devi", last name "Rao". */
function splitName(fullName: string): { firstName: string; lastName: string } {
  const parts = fullName.trim().split(/\s+/);
  const lastName = parts.length > 1 ? (parts.pop() ?? '') : '';
  return { firstName: parts.join(' '), lastName };
}

/** "Sign In Required": the booking belongs to an account; the forms stand here, on this page. */
export function AuthScreen({ book }: { book: Book }) {
  const { moves, consentForm, setRedeeming } = book;
  const { url } = moves;
  const { fullName, email } = consentForm.fields.values;
  const cancel = (
    <Button
      variant="quiet"
      size="sm"
      onClick={() =>
        moves.push({ step: undefined, bookingId: '', cancelled: true, returned: false })
      }
    >
      Cancel
    </Button>
  );
  return (
    <div className="flex flex-col gap-6">
      <Chosen book={book} />
      <p className="measure">
        You need an account, so that only you can see your bookings. It takes a minute, and you go
        on right here.
      </p>
      <AccountStep
        back={bookPath(url)}
        known={{ ...splitName(fullName), email }}
        onRedeeming={setRedeeming}
        cancel={cancel}
      />
    </div>
  );
}
