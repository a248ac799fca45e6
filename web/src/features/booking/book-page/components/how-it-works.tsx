import { usePractice } from '@/lib/practice';

function useSteps() {
  const { holdMinutes } = usePractice();
  const held = holdMinutes > 0 ? ` We hold your time for at least ${holdMinutes} minutes.` : '';
  return [
    {
      title: 'Choose a time',
      text: 'Pick a session, a day and an hour. Browsing reserves nothing.',
    },
    {
      title: 'Read and agree',
      text: 'Read the consent to online sessions once, and sign in. You can withdraw it at any time.',
    },
    {
      title: 'Pay in a new tab',
      text: `Enter your details, then pay on our provider's secure page.${held}`,
    },
    {
      title: 'Join by video',
      text: 'The confirmation has your meeting link and a calendar file.',
    },
  ];
}

/** "How It Works": from this page to the session. */
export function HowItWorks() {
  const steps = useSteps();
  return (
    <section aria-labelledby="how-title" className="container-page flex flex-col gap-8">
      <h2 id="how-title" className="text-h2">
        How It Works
      </h2>
      <ol className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="flex gap-4 lg:flex-col lg:border-t lg:border-hairline lg:pt-6">
            <span
              aria-hidden="true"
              className="grid size-11 shrink-0 place-items-center rounded-full bg-clay-soft font-display font-semibold text-clay numeric"
            >
              {index + 1}
            </span>
            <div className="flex flex-col gap-1">
              <h3 className="text-h3">{title}</h3>
              <p className="text-ink-2">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
