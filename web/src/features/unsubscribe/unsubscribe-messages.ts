/** What is said when a press has got no answer. */
export type Failure = {
  title: string;
  message: string;
  /** What a person may quote to the practice, or empty. */
  referenceId: string;
};

/** An answer can be lost after the server did what was asked, so nothing is said about that. */
export const UNREACHABLE: Failure = {
  title: 'We could not be reached',
  message: 'Please try again in a moment. Pressing twice does no harm.',
  referenceId: '',
};
