import type { Ref } from 'react';
import { HeroArt } from '@/components/art/hero-art';
import { usePractice } from '@/lib/practice';
import { StepHeading } from './step-heading';

/** What the quiz says of the practice: the figure's key, and the word behind its value. */
const CLAIMS = [
  { key: 'people_helped', word: 'Helped' },
  { key: 'years_experience', word: 'Years' },
  { key: 'success', word: 'Success' },
];

/** A figure that the practice does not state is not claimed. */
function useClaims() {
  const { figures } = usePractice();
  return CLAIMS.flatMap(({ key, word }) => {
    const figure = figures.find((one) => one.key === key);
    return figure ? { key, value: figure.value, word } : [];
  });
}

function Petal() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 text-brand">
      <g fill="currentColor" fillOpacity="0.8">
        {[0, 60, 120, 180, 240, 300].map((turn) => (
          <path
            key={turn}
            d="M16 15C12 11 12.5 6 16 2C19.5 6 20 11 16 15Z"
            transform={`rotate(${turn} 16 16)`}
          />
        ))}
      </g>
    </svg>
  );
}

function Claims() {
  const look = 'flex flex-col items-center justify-end gap-1 rounded-card bg-sunken px-2 py-3';
  return (
    <ul className="grid grid-cols-2 gap-2 text-center text-sm sm:grid-cols-4 sm:gap-3">
      {useClaims().map(({ key, value, word }) => (
        <li key={key} className={look}>
          <span className="font-display text-h3 leading-none font-semibold text-brand numeric">
            {value}
          </span>{' '}
          <span className="text-ink-2">{word}</span>
        </li>
      ))}
      <li className={look}>
        <Petal />
        <span className="text-ink-2">Holistic</span>
      </li>
    </ul>
  );
}

/** Says what will be asked, and what becomes of the answer. */
export function WelcomeStep({ headingRef }: { headingRef: Ref<HTMLHeadingElement> }) {
  return (
    <div className="flex flex-col gap-6">
      <div className="grid items-center gap-6 sm:grid-cols-[1fr_12rem] sm:gap-8">
        <div className="flex flex-col gap-4">
          <StepHeading step="welcome" ref={headingRef}>
            One question, and a place to begin
          </StepHeading>
          <p className="text-ink-2">
            Pick whatever feels closest to what's on your mind today. We show you the sessions that
            fit it, with their length and price.
          </p>
          <p className="text-sm text-ink-2">
            This helps you choose. It isn't a diagnosis. Your answer stays in this window: it is
            neither stored nor sent.
          </p>
        </div>
        <div className="overflow-hidden rounded-t-[6rem] rounded-b-card max-sm:hidden">
          <HeroArt className="block aspect-[4/5] w-full" />
        </div>
      </div>
      <Claims />
    </div>
  );
}
