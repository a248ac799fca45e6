import { ComingPage } from '@/components/coming-page';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';

export default function FaqPage() {
  const { phone, cancellationHours, city } = usePractice();
  const answers = [
    {
      question: 'What does it cost?',
      answer: 'Every service shows its price before you sign in. What you see is what you pay.',
    },
    {
      question: 'Online or in person?',
      answer: `Both. You choose when you book; people in ${city} often like to come by.`,
    },
    {
      question: 'What if I cannot come?',
      answer: `Tell us at least ${cancellationHours} hours before and you can move or cancel it.`,
    },
  ];
  return (
    <ComingPage
      title="Questions, answered"
      eyebrow="FAQ"
      lead={`The three that we hear most are below. For any other, call ${formatPhone(phone)} or write to us; a person answers.`}
      coming="All our questions and answers will stand here in three groups: general ones, booking and practical ones, and those about the sessions themselves."
      links={[
        { to: '/contact', label: 'Ask your question' },
        { to: '/services', label: 'See our services' },
      ]}
      art={{ seed: 'meditation', accent: 'leaf' }}
    >
      <dl className="grid gap-8 md:grid-cols-3">
        {answers.map(({ question, answer }) => (
          <div key={question} className="border-t-2 border-brand pt-4">
            <dt className="font-display text-h3 font-semibold">{question}</dt>
            <dd className="mt-2 text-ink-2">{answer}</dd>
          </div>
        ))}
      </dl>
    </ComingPage>
  );
}
