/** The same reads by Connect itself, which says what is wrong. Loaded when a plain read fails. */
import { fromJson } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import type { listReviews } from '@/gen/reviews/v1/list_reviews_read';
import { ListReviewsRequestSchema, ReviewsService } from '@/gen/reviews/v1/reviews_service_pb';
import type { InputOf } from '@/lib/connect-get';

export type Call = { transport: Transport; signal: AbortSignal };

export type ListInput = InputOf<typeof listReviews>;

function client({ transport }: Call) {
  return createClient(ReviewsService, transport);
}

export function list(input: ListInput, call: Call) {
  const request = fromJson(ListReviewsRequestSchema, input);
  return client(call).listReviews(request, { signal: call.signal });
}

export function one(reviewId: string, call: Call) {
  return client(call).getReview({ reviewId }, { signal: call.signal });
}

export function statistics(call: Call) {
  return client(call).getStatistics({}, { signal: call.signal });
}
