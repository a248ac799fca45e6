/** The same reads by Connect itself, which says what is wrong. Loaded when a plain read fails. */
import { fromJson } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import { ListReviewsRequestSchema, ReviewsService } from '@/gen/reviews/v1/reviews_service_pb';

export type Call = { transport: Transport; signal: AbortSignal };

/** As JSON names them. */
export type ListInput = {
  filter?: 'REVIEW_FILTER_UNSPECIFIED' | 'REVIEW_FILTER_VERIFIED' | 'REVIEW_FILTER_RECENT';
  pageSize: number;
  pageToken?: string;
};

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
