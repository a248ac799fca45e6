/** The message when a press has got no answer. */
export type Failure = {
  title: string;
  message: string;
  /** What a person may quote to the practice, or empty. */
  referenceId: string;
};

/** The answer may be lost after the server has acted, so the message leaves open whether it did. */
export const UNREACHABLE: Failure = {
  title: 'We could not be reached',
  message: 'Please try again in a moment. Pressing twice does no harm.',
  referenceId: '',
};
