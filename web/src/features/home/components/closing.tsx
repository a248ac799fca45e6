import { Button } from '@/components/ui/button';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';

/** The invitation to book at the end of the home page. */
export function Closing() {
  const { phone } = usePractice();
  return (
    <section aria-labelledby="closing-title" className="container-page">
      <div className="relative isolate overflow-hidden rounded-panel bg-brand px-6 py-16 text-on-brand [--focus:var(--on-brand)] lg:py-20 dark:bg-brand-soft dark:text-ink dark:[--focus:inherit]">
        <svg
          viewBox="0 0 1200 400"
          preserveAspectRatio="xMidYMax slice"
          aria-hidden="true"
          className="absolute inset-0 -z-10 size-full"
        >
          <g fill="none" stroke="currentColor" strokeOpacity="0.14">
            <circle cx="600" cy="420" r="200" />
            <circle cx="600" cy="420" r="300" />
            <circle cx="600" cy="420" r="400" />
            <circle cx="600" cy="420" r="500" />
            <circle cx="600" cy="420" r="600" />
          </g>
        </svg>
        <div className="flex flex-col items-center gap-6 text-center">
          <h2 id="closing-title" className="text-h2">
            You don't have to carry it alone
          </h2>
          <p className="measure text-lg">
            Begin with one conversation. If something else would help you more, we'll tell you.
          </p>
          <div className="flex flex-wrap justify-center gap-x-4 gap-y-3">
            <Button to="/services" variant="secondary" size="lg">
              Find your session
            </Button>
            <a
              href={`tel:${phone}`}
              className="inline-flex min-h-14 items-center px-4 font-semibold underline underline-offset-4 numeric"
            >
              or call {formatPhone(phone)}
            </a>
          </div>
        </div>
      </div>
    </section>
  );
}
