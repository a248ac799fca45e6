import { FigureStrip } from '@/components/figure-strip';
import { usePractice } from '@/lib/practice';

const SHOWN = ['happy_clients', 'years_experience', 'average_rating', 'lives_transformed'];

/** The practice in four figures, as its settings state them. */
export function Figures() {
  const { figures } = usePractice();
  const shown = SHOWN.flatMap((key) => figures.find((figure) => figure.key === key) ?? []);
  return <FigureStrip figures={shown} room="gap-y-8 py-8 lg:py-10" className="container-page" />;
}
