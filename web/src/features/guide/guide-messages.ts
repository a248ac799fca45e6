/** The form's messages; tests compare their texts. */
import type { ToastInput } from '@/components/ui/toast-store';

export const SENT: ToastInput = {
  title: 'Success!',
  description: 'Your 5-step meditation guide is on its way to your inbox.',
};

export const FAILED: ToastInput = {
  title: 'Error',
  description: 'Failed to send the guide. Please try again.',
  variant: 'destructive',
};

/** What stays at the form when the toast is gone. */
export type GuideProblem = {
  title: string;
  message: string;
  /** What a person may quote to the practice, or empty. */
  referenceId: string;
};

export const NOT_SENT: GuideProblem = {
  title: 'The guide was not sent',
  message: 'Your address is still here. Please try again in a moment.',
  referenceId: '',
};

export const TOO_MANY: GuideProblem = {
  title: 'One moment, please',
  message:
    'The guide was asked for many times just now. Your address is still here: please try again ' +
    'a little later.',
  referenceId: '',
};

/** "1 minute", "3 minutes" */
export function minutesText(minutes: number): string {
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
