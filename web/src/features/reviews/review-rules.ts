/** What the form asks for. The server checks the same and has the last word. */
import type { ToastInput } from '@/components/ui/toast-store';
import { readText } from '@/lib/typed';
import { emailError, lineError } from '@/lib/typed-errors';
import type { FieldErrors } from '@/lib/use-fields';
import { toRating } from './rating';
import { IMAGE_TOO_LARGE, INVALID_IMAGE, NO_RATING } from './review-messages';

export type ReviewValues = {
  rating: string;
  name: string;
  email: string;
  service: string;
  text: string;
};

export const EMPTY_REVIEW: ReviewValues = {
  rating: '',
  name: '',
  email: '',
  service: '',
  text: '',
};

export const NAME_MAX = 80;
export const TEXT_MAX = 4000;
/** From here on the form says how many are left. */
const COUNTER_FROM = 3600;

const IMAGE_BYTES_MAX = 5 * 1024 * 1024;
/** What the server can decode. */
export const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp'];

/** Characters as the server counts them. */
function lengthOf(text: string): number {
  return [...text].length;
}

function textError(text: string): string | undefined {
  const { read = '' } = readText(text, Number.POSITIVE_INFINITY);
  if (!read) return 'Please write your review';
  const over = lengthOf(read) - TEXT_MAX;
  return over > 0
    ? `Please shorten it by ${over} ${over === 1 ? 'character' : 'characters'}`
    : undefined;
}

export function validateReview(values: ReviewValues): FieldErrors<ReviewValues> {
  const found: FieldErrors<ReviewValues> = {
    rating: toRating(values.rating) ? undefined : NO_RATING.title,
    name: lineError(values.name, NAME_MAX, 'Name is required'),
    email: emailError(values.email),
    service: values.service ? undefined : 'Please choose a service',
    text: textError(values.text),
  };
  const entries = Object.entries(found).filter(([, error]) => error);
  return Object.fromEntries(entries) as FieldErrors<ReviewValues>;
}

/** The counter below the text near its limit, or nothing. */
export function lettersLeft(text: string): string | undefined {
  const length = lengthOf(text.trim());
  if (length < COUNTER_FROM) return undefined;
  const left = TEXT_MAX - length;
  const many = Math.abs(left);
  return `${many} ${many === 1 ? 'character' : 'characters'} ${left < 0 ? 'too many' : 'left'}`;
}

/** Whether a file says of itself that it is something else; cameras and programs name odd types. */
function isNoPicture(type: string): boolean {
  return type !== '' && type !== 'application/octet-stream' && !type.startsWith('image/');
}

/** Why a file cannot be the picture, or nothing. What is in it decides, which the server looks at. */
export function imageProblem(file: { size: number; type: string }): ToastInput | undefined {
  if (file.size > IMAGE_BYTES_MAX) return IMAGE_TOO_LARGE;
  return file.size === 0 || isNoPicture(file.type) ? INVALID_IMAGE : undefined;
}

const FIELDS: readonly (keyof ReviewValues)[] = ['rating', 'name', 'email', 'service', 'text'];

/** The input that an error's field path means, or nothing for other fields. */
export function reviewField(path: string): keyof ReviewValues | undefined {
  return FIELDS.find((field) => field === path);
}

/** "820 KB", "3.4 MB" */
export function formatSize(bytes: number): string {
  const kilobytes = bytes / 1024;
  if (kilobytes < 1000) return `${Math.max(1, Math.round(kilobytes))} KB`;
  return `${(kilobytes / 1024).toFixed(1)} MB`;
}
