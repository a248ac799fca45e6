/** Figures side by side between two lines, each above what it counts. */
import { usePractice } from '@/lib/practice';

export type ShownFigure = { key: string; value: string; label: string };

type FigureStripProps = {
  figures: readonly ShownFigure[];
  /** How much air is around them. */
  room: string;
  className?: string;
};

export function FigureStrip({ figures, room, className }: FigureStripProps) {
  const { name } = usePractice();
  return (
    <section aria-label={`${name} in figures`} className={className}>
      <dl className={`grid grid-cols-2 ${room} border-y border-hairline lg:grid-cols-4`}>
        {figures.map(({ key, value, label }) => (
          <div
            key={key}
            className="flex flex-col-reverse items-center justify-end gap-1 px-3 text-center lg:not-first:border-l lg:not-first:border-hairline"
          >
            <dt className="text-sm text-ink-2">{label}</dt>
            <dd className="font-display text-h2 font-semibold text-brand numeric">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
