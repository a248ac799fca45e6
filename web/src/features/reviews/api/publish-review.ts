/**
 * Publishing a review: its picture first, then the review. Loaded when the page is idle, so that
 * people who only read do not wait for it.
 */
import { Code, createClient, type Transport } from '@connectrpc/connect';
import { createConnectQueryKey } from '@connectrpc/connect-query';
import type { QueryClient } from '@tanstack/react-query';
import type { ToastInput } from '@/components/ui/toast-store';
import { type Review, ReviewsService } from '@/gen/reviews/v1/reviews_service_pb';
import { describeError, errorReason } from '@/lib/errors';
import { keyOfAttempt } from '@/lib/idempotency-key';
import type { FieldErrors } from '@/lib/use-fields';
import { ATTEMPT_KEY } from '../review-draft';
import {
  ANIMATED_IMAGE,
  BUSY_MESSAGE,
  type FormProblem,
  IMAGE_TOO_LARGE,
  INVALID_IMAGE,
  INVITATION_PROBLEM,
  OFFLINE,
  OTHER_IMAGE_KIND,
  TOO_MANY_PIXELS,
} from '../review-messages';
import { type ReviewValues, reviewField } from '../review-rules';
import { UploadError, uploadPicture, type Watch } from './upload-picture';

/** The picture of an attempt. It remembers its upload, so that trying again sends it once. */
export type Picture = { file: File; imageId?: string };

export type Wish = {
  values: ReviewValues;
  picture: Picture | undefined;
  invitation: string;
  withoutBadge: boolean;
};

export type Outcome =
  | { kind: 'published'; review: Review }
  | { kind: 'cancelled' }
  | { kind: 'image'; words: ToastInput }
  | { kind: 'fields'; errors: FieldErrors<ReviewValues> }
  | { kind: 'problem'; problem: FormProblem };

async function submit(transport: Transport, wish: Wish, imageId: string): Promise<Review> {
  const { values, withoutBadge } = wish;
  const content = {
    name: values.name.trim(),
    email: values.email.trim(),
    service: values.service,
    rating: Number(values.rating),
    text: values.text.trim(),
    imageId,
    invitation: withoutBadge ? '' : wish.invitation,
    withoutBadge,
  };
  const idempotencyKey = keyOfAttempt(ATTEMPT_KEY, Object.values(content).map(String));
  const client = createClient(ReviewsService, transport);
  const { review } = await client.submitReview({ ...content, idempotencyKey });
  if (!review) throw new Error('The answer holds no review.');
  return review;
}

async function uploaded(picture: Picture | undefined, watch: Watch): Promise<string> {
  if (!picture) return '';
  picture.imageId ??= await uploadPicture(picture.file, watch);
  return picture.imageId;
}

async function attempt(transport: Transport, wish: Wish, watch: Watch): Promise<Review> {
  const { picture } = wish;
  const kept = picture?.imageId !== undefined;
  try {
    return await submit(transport, wish, await uploaded(picture, watch));
  } catch (error) {
    // A picture that waited too long is thrown away by the server: it is sent once more.
    if (!picture || !kept || errorReason(error) !== 'IMAGE_NOT_FOUND') throw error;
    picture.imageId = undefined;
    return submit(transport, wish, await uploaded(picture, watch));
  }
}

/** What the page says of a picture that the server refuses, by its reason. */
const IMAGE_WORDS: Record<string, ToastInput> = {
  ANIMATED_IMAGE,
  IMAGE_TOO_LARGE,
  INVALID_IMAGE,
  OTHER_IMAGE_KIND,
  TOO_MANY_PIXELS,
};

function ofUpload({ reason, referenceId }: UploadError): Outcome {
  if (reason === 'CANCELLED') return { kind: 'cancelled' };
  const words = IMAGE_WORDS[reason];
  if (words) return { kind: 'image', words };
  const message = reason ? BUSY_MESSAGE : OFFLINE.message;
  return { kind: 'problem', problem: { ...OFFLINE, message, referenceId } };
}

function ofCall(error: unknown): Outcome {
  const { reason, field, message, code, referenceId } = describeError(error);
  if (reason === 'INVITATION_NOT_VALID') return { kind: 'problem', problem: INVITATION_PROBLEM };
  const input = reviewField(field);
  if (input && code === Code.InvalidArgument)
    return { kind: 'fields', errors: { [input]: message } };
  const busy = code === Code.ResourceExhausted;
  const lost = code === Code.Unavailable && !referenceId;
  const words = busy ? BUSY_MESSAGE : lost ? OFFLINE.message : message;
  return { kind: 'problem', problem: { ...OFFLINE, message: words, referenceId } };
}

export async function publishReview(
  transport: Transport,
  wish: Wish,
  watch: Watch,
): Promise<Outcome> {
  try {
    return { kind: 'published', review: await attempt(transport, wish, watch) };
  } catch (error) {
    return error instanceof UploadError ? ofUpload(error) : ofCall(error);
  }
}

/** Reads everything about reviews again. */
export async function refreshReviews(queryClient: QueryClient): Promise<void> {
  const queryKey = createConnectQueryKey({ schema: ReviewsService, cardinality: undefined });
  await queryClient.invalidateQueries({ queryKey });
}
