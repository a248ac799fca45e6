import { usePractice } from '@/lib/practice';

function useSteps() {
  const { city } = usePractice();
  return [
    {
      title: 'Choose what helps',
      text: "Take the quiz or browse. Every session page says plainly what it is, and what it isn't.",
    },
    {
      title: 'Pick a time',
      text: 'See open times without signing in. We hold yours while you pay.',
    },
    {
      title: 'Come as you are',
      text: `By video or in person in ${city}. There's nothing to prepare.`,
    },
  ];
}

/** The steps from this page to a session. */
export function HowItWorks() {
  const steps = useSteps();
  return (
    <section aria-labelledby="steps-title" className="container-page flex flex-col gap-8">
      <h2 id="steps-title" className="text-h2">
        Two minutes to a quiet hour
      </h2>
      <ol className="grid gap-x-10 gap-y-8 md:grid-cols-3">
        {steps.map(({ title, text }, index) => (
          <li
            key={title}
            className="flex gap-5 border-hairline md:flex-col md:gap-4 md:border-t md:pt-6"
          >
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
