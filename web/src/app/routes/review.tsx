import { ReviewPage } from '@/features/reviews/components/review-page';
import type { PageProps } from '../lazy-page';

export default function ReviewRoute({ params }: PageProps) {
  return <ReviewPage reviewId={params.reviewId} />;
}
