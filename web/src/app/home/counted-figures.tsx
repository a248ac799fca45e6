/** The figures of the home page: the rating is that of the reviews as soon as there are any. */
import { Figures } from '@/features/home/components/figures';
import { useCounted } from '@/features/reviews/hooks/use-counted';

export function CountedFigures() {
  return <Figures counted={useCounted()} />;
}
