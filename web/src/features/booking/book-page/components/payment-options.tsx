import { AppLink } from '@/components/ui/app-link';
import { Card } from '@/components/ui/card';

const WAYS = [
  { title: 'UPI', text: 'Any UPI app, on the phone or by a code to scan.' },
  { title: 'Credit and debit cards', text: 'Your bank may ask you to confirm.' },
  { title: 'Net banking', text: 'At your own bank.' },
  { title: 'Digital wallets', text: 'Any wallet our payment provider accepts.' },
];

/** "Payment Options": how the session can be paid, and what holds for all ways. */
export function PaymentOptions() {
  return (
    <section aria-labelledby="options-title" className="container-page flex flex-col gap-8">
      <div className="flex flex-col gap-3">
        <h2 id="options-title" className="text-h2">
          Payment Options
        </h2>
        <p className="measure text-ink-2">
          You pay in full before the session, on the secure page of our payment provider. We never
          see your card or UPI data. Our{' '}
          <AppLink to="/refunds" className="text-brand underline underline-offset-4">
            refund policy
          </AppLink>{' '}
          says when money goes back.
        </p>
      </div>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {WAYS.map(({ title, text }) => (
          <li key={title}>
            <Card className="flex h-full flex-col gap-1">
              <h3 className="text-h3">{title}</h3>
              <p className="text-ink-2">{text}</p>
            </Card>
          </li>
        ))}
      </ul>
    </section>
  );
}
