/** The form's messages; tests compare their texts. */
import type { ToastInput } from '@/components/ui/toast-store';

function failed(title: string, description: string): ToastInput {
  return { title, description, variant: 'destructive' };
}

export const NO_RATING = failed(
  'Please provide a rating',
  'Your rating helps us improve our services.',
);
export const IMAGE_TOO_LARGE = failed(
  'Image too large',
  'Please select an image smaller than 5MB.',
);
export const INVALID_IMAGE = failed('Invalid file type', 'Please select a valid image file.');
export const UNREADABLE_IMAGE = failed(
  'Image can’t be read',
  'Please save it on your device first, and select it there.',
);
export const TOO_MANY_PIXELS = failed(
  'Image has too many pixels',
  'Please select one of at most 24 million pixels.',
);
export const ANIMATED_IMAGE = failed('Image moves', 'Please select a still JPEG, PNG or WebP.');
export const OTHER_IMAGE_KIND = failed(
  'Image of another kind',
  'GIF, HEIC or AVIF can’t be shown. Please select a JPEG, PNG or WebP.',
);
export const NOT_SUBMITTED = failed('Error submitting review', 'Please try again later.');
export const PUBLISHED: ToastInput = {
  title: 'Thank you for your review!',
  description: 'Your feedback helps us serve you better.',
};

export const LOADING_REVIEWS = 'Loading reviews...';
export const NO_REVIEWS = 'No reviews found for the selected filter.';

/** What stays on the page when a review could not be published. */
export type FormProblem = {
  kind: 'failed' | 'invitation';
  title: string;
  message: string;
  referenceId: string;
};

export const OFFLINE: FormProblem = {
  kind: 'failed',
  title: 'Your review was not published yet',
  message:
    'We could not be reached. What you wrote is still here; please try again when you are online.',
  referenceId: '',
};

export const BUSY_MESSAGE =
  'A lot is being sent just now. What you wrote is still here; please try again in a minute.';

export const INVITATION_PROBLEM: FormProblem = {
  kind: 'invitation',
  title: 'This link gives no badge any more',
  message:
    'It was used for a review already, or it is too old. You can publish your review without ' +
    'the badge.',
  referenceId: '',
};
