import { CardRow } from './card-row';

const CARDS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Cards at rest, in the place and size that they will have. */
export function TestimonialsSkeleton() {
  const items = CARDS.map((key) => ({
    key,
    content: (
      <span
        aria-hidden="true"
        className="animate-pulse-soft block h-full rounded-panel border border-hairline bg-surface"
      />
    ),
  }));
  return (
    <div aria-busy="true" className="flex flex-1 flex-col gap-6">
      <p className="sr-only">Loading reviews...</p>
      <CardRow items={items} resting />
    </div>
  );
}
