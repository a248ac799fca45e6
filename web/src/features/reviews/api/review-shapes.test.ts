import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { test } from 'vitest';
import {
  GetReviewResponseSchema,
  GetStatisticsResponseSchema,
  ListReviewsResponseSchema,
} from '@/gen/reviews/v1/reviews_service_pb';
import { expectShape } from '@/testing/shape-check';
import { STATISTICS_ANSWER } from './plain-statistics';
import { LIST_ANSWER, REVIEW_ANSWER } from './review-shapes';

const REVIEW = {
  reviewId: 'rvw_1',
  name: 'Asha',
  service: 'Energy Healing',
  rating: 4,
  text: 'I slept well.',
  verified: true,
  userGenerated: true,
  createdAt: timestampFromDate(new Date('2026-11-20T10:11:12.345Z')),
  image: { path: '/a.webp', smallPath: '/b.webp', width: 1600, height: 900 },
};

test('what the reviews service answers is read as the contract writes it', () => {
  expectShape(ListReviewsResponseSchema, LIST_ANSWER, { reviews: [REVIEW], nextPageToken: 'n' });
  expectShape(GetReviewResponseSchema, REVIEW_ANSWER, { review: REVIEW });
  expectShape(GetStatisticsResponseSchema, STATISTICS_ANSWER, {
    count: 12n,
    verifiedCount: 3n,
    countsByRating: [0n, 0n, 1n, 4n, 7n],
  });
});
