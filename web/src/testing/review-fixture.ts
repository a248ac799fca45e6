/** Reviews as the server would send them, for tests. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Review, ReviewSchema } from '@/gen/reviews/v1/reviews_service_pb';

/** "rvw_" and the number in 32 digits. */
export function reviewId(number: number): string {
  return `rvw_${String(number).padStart(32, '0')}`;
}

export function reviewFixture(
  number: number,
  changes: MessageInitShape<typeof ReviewSchema> = {},
): Review {
  const init: MessageInitShape<typeof ReviewSchema> = {
    reviewId: reviewId(number),
    name: `Writer ${number}`,
    service: 'Energy Healing',
    rating: 5,
    text: `Text ${number}`,
    userGenerated: true,
    createdAt: timestampFromDate(new Date()),
  };
  return create(ReviewSchema, { ...init, ...changes } as typeof init);
}
