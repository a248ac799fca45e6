import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';

/** What a client who waits for a payment may do, and how to reach the practice about it. */
export function PaymentSupport({ reference }: { reference: string }) {
  const { email, phone } = usePractice();
  return (
    <p className="text-sm text-ink-2">
      Reference <span className="font-semibold numeric">{reference}</span>. You may close this page:
      we keep asking, and write to you either way. Questions? Write to{' '}
      <a href={`mailto:${email}`} className="underline underline-offset-4">
        {email}
      </a>{' '}
      or call{' '}
      <a href={`tel:${phone}`} className="underline underline-offset-4">
        {formatPhone(phone)}
      </a>
      .
    </p>
  );
}
