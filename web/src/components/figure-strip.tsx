/** Figures side by side between two lines, each above what it counts, and whose figures they are. */
import { classes } from '@/lib/classes';
import { usePractice } from '@/lib/practice';

/** The source of what a practice states of itself. */
export const OWN_FIGURES = 'These are our own figures.';

export type ShownFigure = {
  key: string;
  value: string;
  label: string;
  /** A newer value is being loaded: until then the room is kept and no value is shown. */
  asking?: boolean;
};

type FigureStripProps = {
  figures: readonly ShownFigure[];
  /** Where the figures come from. */
  note: string;
  /** How much air is around them. */
  room: string;
  className?: string;
};

export const FIGURE = 'font-display text-h2 font-semibold text-brand numeric';

/** A figure whose newer value is being loaded; without scripts it stays as it is. */
export const UNTOLD = 'invisible noscript:visible';

export function FigureStrip({ figures, note, room, className }: FigureStripProps) {
  const { name } = usePractice();
  return (
    <section aria-label={`${name} in figures`} className={className}>
      <dl className={`grid grid-cols-2 ${room} border-y border-hairline lg:grid-cols-4`}>
        {figures.map(({ key, value, label, asking }) => (
          <div
            key={key}
            className="flex flex-col-reverse items-center justify-end gap-1 px-3 text-center lg:not-first:border-l lg:not-first:border-hairline"
          >
            <dt className="text-sm wrap-anywhere text-ink-2">{label}</dt>
            <dd className={classes(FIGURE, asking && UNTOLD)}>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="min-h-14 pt-3 text-center text-sm text-ink-2 sm:min-h-9">{note}</p>
    </section>
  );
}
