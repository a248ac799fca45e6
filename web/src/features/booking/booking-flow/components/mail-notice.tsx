import { Alert } from '@/components/ui/alert';
import { type Booking, MailState } from '@/gen/booking/v1/booking_service_pb';
import { shownAddress } from '@/lib/shown-address';
import { MAIL_FAILED, mailFailedMessage } from '../../shared/mail-messages';

/** Whether the confirmation mail was sent, as a notice that stays. */
export function MailNotice({ booking }: { booking: Booking }) {
  const to = shownAddress(booking.contact?.email ?? '');
  switch (booking.mailState) {
    case MailState.SENT:
      return (
        <p className="text-ink-2">
          We have sent the confirmation with a calendar file{to ? ` to ${to}` : ''}.
        </p>
      );
    case MailState.FAILED:
      return (
        <Alert tone="warn" title={MAIL_FAILED}>
          {mailFailedMessage(booking)} Your booking stands; everything you need is on this page.
        </Alert>
      );
    default:
      return (
        <p className="text-ink-2">
          The confirmation{to ? ` to ${to}` : ''} is on its way; it carries a calendar file.
        </p>
      );
  }
}
