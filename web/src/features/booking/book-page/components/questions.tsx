import { Button } from '@/components/ui/button';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';

/** The way to the practice, for what the page does not answer. */
export function Questions() {
  const { phone } = usePractice();
  return (
    <section aria-labelledby="questions-title" className="container-page">
      <div className="flex flex-col items-start gap-4 rounded-panel bg-sunken p-6 sm:p-8">
        <h2 id="questions-title" className="text-h2">
          Questions before you book?
        </h2>
        <p className="measure text-ink-2">
          Write to us, or call. We'll tell you honestly whether a session is the right thing.
        </p>
        <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
          <Button to="/contact">Contact Us</Button>
          <a
            href={`tel:${phone}`}
            className="inline-flex min-h-12 items-center font-semibold underline underline-offset-4 numeric"
          >
            {formatPhone(phone)}
          </a>
        </div>
      </div>
    </section>
  );
}
