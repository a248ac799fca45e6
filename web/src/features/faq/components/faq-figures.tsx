import { FigureStrip, OWN_FIGURES } from '@/components/figure-strip';
import { usePractice } from '@/lib/practice';

/** Which of the practice's figures are shown here, and this page's label of each. */
const SHOWN = [
  { key: 'happy_clients', label: 'Clients helped' },
  { key: 'satisfaction', label: 'Satisfaction' },
  { key: 'years_experience', label: 'Years experience' },
  { key: 'confidential', label: 'Confidential' },
] as const;

export function FaqFigures() {
  const { figures } = usePractice();
  const shown = SHOWN.flatMap(({ key, label }) => {
    const figure = figures.find((one) => one.key === key);
    return figure ? [{ key, label, value: figure.value }] : [];
  });
  return <FigureStrip figures={shown} note={OWN_FIGURES} room="gap-y-6 py-6" />;
}
