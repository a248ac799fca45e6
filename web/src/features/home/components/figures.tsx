import { FigureStrip, OWN_FIGURES } from '@/components/figure-strip';
import { usePractice } from '@/lib/practice';

const SHOWN = ['happy_clients', 'years_experience', 'average_rating', 'lives_transformed'];

type FiguresProps = {
  /**
   * What the reviews come to; undefined while that is not known, and null where there are none. Then
   * the practice's own words stay.
   */
  counted: { average: string; reviews: string } | null | undefined;
};

/** The practice in four figures: its own, and the rating of its reviews. */
export function Figures({ counted }: FiguresProps) {
  const { figures } = usePractice();
  const shown = SHOWN.flatMap((key) => {
    const figure = figures.find((one) => one.key === key);
    if (!figure) return [];
    if (key !== 'average_rating') return [figure];
    return [{ ...figure, value: counted?.average ?? figure.value, asking: counted === undefined }];
  });
  const note = counted
    ? `The rating is from ${counted.reviews}. The others are our own figures.`
    : OWN_FIGURES;
  return (
    <FigureStrip
      figures={shown}
      note={note}
      room="gap-y-8 py-8 lg:py-10"
      className="container-page"
    />
  );
}
