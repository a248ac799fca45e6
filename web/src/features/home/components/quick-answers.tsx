import { Button } from '@/components/ui/button';
import { Disclosure } from '@/components/ui/disclosure';
import { useQuickAnswers } from '@/lib/practice';

/** The four questions that most people have first. */
export function QuickAnswers() {
  const answers = useQuickAnswers();
  return (
    <section
      aria-labelledby="answers-title"
      className="container-page grid items-start gap-x-16 gap-y-6 lg:grid-cols-[1fr_1.6fr]"
    >
      <div className="flex flex-col items-start gap-6 lg:sticky lg:top-28">
        <div className="flex flex-col gap-2">
          <h2 id="answers-title" className="text-h2">
            Quick Answers
          </h2>
          <p className="text-ink-2">What most people ask before their first session.</p>
        </div>
        <Button to="/faq" variant="secondary" className="max-lg:hidden">
          View All Questions
        </Button>
      </div>
      <div className="border-t border-hairline">
        {answers.map(({ question, answer }) => (
          <Disclosure key={question} summary={question}>
            <p>{answer}</p>
          </Disclosure>
        ))}
      </div>
      <Button to="/faq" variant="secondary" className="justify-self-start lg:hidden">
        View All Questions
      </Button>
    </section>
  );
}
