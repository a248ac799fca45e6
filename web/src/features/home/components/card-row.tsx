import { type ReactNode, useRef } from 'react';

type Item = { key: string; content: ReactNode };

/** Keeps the first card in line with the page, while the row goes on to the edge of the screen. */
const INSET =
  'px-[max(clamp(1.25rem,4vw,2.5rem),calc((100cqw-76rem)/2+2.5rem))] ' +
  'scroll-px-[max(clamp(1.25rem,4vw,2.5rem),calc((100cqw-76rem)/2+2.5rem))]';

function Arrow({ onPress, back }: { onPress: () => void; back?: boolean }) {
  return (
    <button
      type="button"
      aria-label={back ? 'Show the reviews before' : 'Show the next reviews'}
      onClick={onPress}
      className="grid size-12 place-items-center rounded-full border border-control bg-surface text-ink hover:border-brand hover:text-brand"
    >
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5">
        <path
          d={back ? 'M16 10H4M9 5l-5 5 5 5' : 'M4 10h12M11 5l5 5-5 5'}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </button>
  );
}

type CardRowProps = {
  items: readonly Item[];
  /** Nothing to move yet: the room of the arrows stays empty. */
  resting?: boolean;
  /** Shown beside the arrows. */
  children?: ReactNode;
};

/**
 * Cards in one row, whose neighbours show that it goes on: swiped by hand, moved by its arrows, or
 * followed with the Tab key from link to link.
 */
export function CardRow({ items, resting, children }: CardRowProps) {
  const row = useRef<HTMLUListElement>(null);

  function move(direction: 1 | -1) {
    const list = row.current;
    const [first, second] = list?.children ?? [];
    if (!list || !first || !second) return;
    const step = second.getBoundingClientRect().left - first.getBoundingClientRect().left;
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    list.scrollBy({ left: direction * step, behavior: still ? 'instant' : 'smooth' });
  }

  return (
    <>
      <ul
        ref={row}
        className={`relative -my-6 flex min-h-[30rem] flex-1 snap-x snap-mandatory gap-5 overflow-x-auto py-6 [scrollbar-width:none] lg:min-h-[28rem] lg:gap-6 ${INSET}`}
      >
        {items.map(({ key, content }) => (
          <li key={key} className="w-[min(21rem,80cqw)] shrink-0 snap-start lg:w-[22.65rem]">
            {content}
          </li>
        ))}
      </ul>
      <div className="container-page flex min-h-12 flex-wrap items-center justify-between gap-4">
        {children}
        {items.length > 1 && !resting ? (
          <div className={`flex gap-3 ${items.length <= 3 ? 'lg:hidden' : ''}`}>
            <Arrow back onPress={() => move(-1)} />
            <Arrow onPress={() => move(1)} />
          </div>
        ) : null}
      </div>
    </>
  );
}
