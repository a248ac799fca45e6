import { usePractice } from '@/lib/practice';

/** The four steps of a cancellation, with their times. */
function useSteps() {
  const { cancellationHours, supportHours, refundDaysText, replyDaysText } = usePractice();
  return [
    {
      title: 'Contact support',
      time: `within ${cancellationHours} hours`,
      text: `Call or write before your window closes, at the latest ${cancellationHours} hours before the session starts. We are there ${supportHours}.`,
    },
    {
      title: 'Tell us which session',
      text: 'Provide your name, e-mail, service, booking confirmation details and the reason.',
    },
    {
      title: 'Wait for confirmation',
      time: replyDaysText,
      text: 'We look at your request and answer to the e-mail address of the booking.',
    },
    {
      title: 'Refund',
      time: refundDaysText,
      text: 'The money goes back to the original payment method: what you paid, without a fee that the payment provider has added.',
    },
  ];
}

export function PolicySteps() {
  const steps = useSteps();
  return (
    <section aria-labelledby="steps-title" className="flex flex-col gap-8">
      <h2 id="steps-title" className="text-h2">
        Steps to cancel
      </h2>
      <ol className="grid gap-x-10 gap-y-8 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(({ title, time, text }, index) => (
          <li key={title} className="flex flex-col gap-3">
            <span
              aria-hidden="true"
              className="grid size-11 place-items-center rounded-full bg-brand-soft font-display text-lg font-semibold text-brand numeric"
            >
              {index + 1}
            </span>
            <h3 className="text-h3">
              {title}
              {time ? <span className="block text-brand"> {time}</span> : null}
            </h3>
            <p className="text-ink-2">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
