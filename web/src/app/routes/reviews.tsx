import { ReviewsPage } from '@/features/reviews/components/reviews-page';

export default ReviewsPage;
