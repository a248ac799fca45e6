import { bookingSlotLink } from '@/features/catalogue/api/booking-links';
import { ServiceCard } from '@/features/catalogue/components/service-card';
import { ExitPopup } from '@/features/guide/components/exit-popup';
import { Figures } from '@/features/home/components/figures';
import { HomePage } from '@/features/home/components/home-page';
import { useCounted } from '@/features/reviews/hooks/use-counted';
import { importWithRetry } from '@/lib/import-with-retry';

async function loadQuiz() {
  return (await importWithRetry(() => import('@/features/quiz/components/quiz-dialog'))).default;
}

async function loadReviews() {
  return (await importWithRetry(() => import('../home/newest-reviews'))).default;
}

/** The rating is that of the reviews as soon as there are any. */
export function CountedFigures() {
  return <Figures counted={useCounted()} />;
}

export default function HomeRoute() {
  return (
    <HomePage
      loadQuiz={loadQuiz}
      loadReviews={loadReviews}
      exitPopup={<ExitPopup />}
      figures={<CountedFigures />}
      serviceCard={(service) => <ServiceCard service={service} level="h3" />}
      slotLink={bookingSlotLink}
    />
  );
}
