/** What the reviews service answers, as zero values; its test holds it to the contract. */
import type {
  GetReviewResponse,
  ListReviewsResponse,
  Review,
} from '@/gen/reviews/v1/reviews_service_pb';
import { type Shape, TIMESTAMP } from '@/lib/connect-get';

const REVIEW = {
  reviewId: '',
  name: '',
  service: '',
  rating: 0,
  text: '',
  verified: false,
  userGenerated: false,
  createdAt: TIMESTAMP,
  image: { path: '', smallPath: '', width: 0, height: 0 },
} as unknown as Shape<Review>;

export const LIST_ANSWER: Shape<ListReviewsResponse> = { reviews: [REVIEW], nextPageToken: '' };

export const REVIEW_ANSWER: Shape<GetReviewResponse> = { review: REVIEW };
