/** Why the guide could not be read, in words for people, for a page that loads no runtime to ask. */
export class GuideError extends Error {
  constructor(
    message: string,
    /** The code of the call, by which it is decided whether to try again. */
    readonly code: number,
    /** What a person may quote to the practice, or empty. */
    readonly referenceId: string,
  ) {
    super(message);
    this.name = 'GuideError';
  }
}
