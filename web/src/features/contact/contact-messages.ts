/** The form's messages; tests compare their texts. */
import type { ToastInput } from '@/components/ui/toast-store';

export const FILL_IN_ALL = 'Please fill in all fields';

export const THANK_YOU: ToastInput = {
  title: 'Thank you for your message!',
  description: "We've got it, and we answer by e-mail.",
};

/** The toast when the page was left before the answer came. */
export const NOT_SENT_ELSEWHERE: ToastInput = {
  title: 'Your message was not sent',
  description: 'What you wrote is still on our contact page. Please send it again from there.',
  variant: 'destructive',
};

/** What stays on the page when a message could not be sent. */
export type ContactProblem = {
  tone: 'error' | 'warn';
  title: string;
  message: string;
  /** What a person may quote to the practice, or empty. */
  referenceId: string;
};

export const NOT_SENT: ContactProblem = {
  tone: 'error',
  title: 'Failed to send message. Please try again or contact us directly.',
  message: 'What you wrote is still here.',
  referenceId: '',
};

export const TOO_MANY: ContactProblem = {
  tone: 'warn',
  title: 'One moment, please',
  message:
    'More messages came in a short time than we can take at once. What you wrote is still here: ' +
    'please send it again a little later, or call us.',
  referenceId: '',
};
