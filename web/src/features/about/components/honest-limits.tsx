import type { ReactNode } from 'react';
import { AppLink } from '@/components/ui/app-link';

const MARKS = { yes: 'M5 10.5l3.4 3.4L15.5 6.5', no: 'M5 10h10' };

const OFFERED = [
  'Time with one person who listens, and who remembers you the next time.',
  'Practices for everyday life: breath, rest, attention, and clearer words.',
  'An honest opinion, even when something else would help you more.',
];

const NOT_OFFERED = [
  'Diagnoses, prescriptions, or advice to change or stop a medicine.',
  'A cure, a fixed number of sessions, or a result that nobody can promise.',
  'Fear: no bad omens, no costly remedies, no pressure to book again.',
];

type ListProps = { title: string; kind: keyof typeof MARKS; items: readonly string[] };

function List({ title, kind, items }: ListProps) {
  const tone = kind === 'yes' ? 'bg-brand-soft text-brand' : 'bg-clay-soft text-clay';
  return (
    <div className="flex flex-col gap-4">
      <h3 className="text-h3">{title}</h3>
      <ul className="flex flex-col gap-3">
        {items.map((item) => (
          <li key={item} className="flex gap-3">
            <svg
              viewBox="0 0 20 20"
              aria-hidden="true"
              className={`mt-0.5 size-6 shrink-0 rounded-full p-1 ${tone}`}
            >
              <path
                d={MARKS[kind]}
                fill="none"
                stroke="currentColor"
                strokeWidth="2"
                strokeLinecap="round"
                strokeLinejoin="round"
              />
            </svg>
            <span>{item}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Panel({ children }: { children: ReactNode }) {
  return (
    <div className="grid gap-x-14 gap-y-10 rounded-panel border border-hairline bg-surface p-6 shadow-soft sm:p-10 md:grid-cols-2">
      {children}
    </div>
  );
}

/** Sessions for wellbeing, and not medical treatment: said before the booking. */
export function HonestLimits() {
  return (
    <section aria-labelledby="limits-title" className="container-page flex flex-col gap-8">
      <div className="flex flex-col gap-2">
        <h2 id="limits-title" className="text-h2">
          What to expect, and what not to
        </h2>
        <p className="measure text-ink-2">
          Our sessions are for your wellbeing. They are not medical treatment, and they go well
          together with the care of your doctor.{' '}
          <AppLink to="/faq" className="font-semibold text-brand underline underline-offset-4">
            More questions and answers
          </AppLink>
        </p>
      </div>
      <Panel>
        <List title="What you get" kind="yes" items={OFFERED} />
        <List title="What we do not offer" kind="no" items={NOT_OFFERED} />
      </Panel>
    </section>
  );
}
