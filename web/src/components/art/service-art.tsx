import { classes } from '@/lib/classes';
import { motifOf } from './motifs';
import { seededNumbers } from './random';

/** The colours of a picture; "sun" is a leaf on warm ground. */
const GROUNDS: Record<string, string> = {
  leaf: 'art-leaf',
  clay: 'art-clay',
  plum: 'art-plum',
  sun: 'art-sun',
};

type ServiceArtProps = {
  /** The same seed draws the same picture. */
  seed: string;
  accent: string;
  className?: string;
};

/** A service's drawn picture. It is decoration, so it is hidden from screen readers. */
export function ServiceArt({ seed, accent, className }: ServiceArtProps) {
  const next = seededNumbers(seed);
  const Motif = motifOf(seed, next);
  return (
    <svg
      viewBox="0 0 400 300"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      className={classes('art block', GROUNDS[accent] ?? 'art-leaf', className)}
    >
      <Motif next={next} />
    </svg>
  );
}
