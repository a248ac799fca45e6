/** What a form says of what was typed: each cause has a sentence of its own. */
import { mayBePhone, readLine, readMailAddress, readPhone, readText } from './typed';

const LINE_WORDS = {
  letterless: 'Please write at least one letter',
  control: 'A character in it can’t be shown. Please type it again',
};

/** What is wrong with a line such as a name or a signature. */
export function lineError(typed: string, max: number, missing: string): string | undefined {
  const { problem } = readLine(typed, max);
  if (!problem) return undefined;
  if (problem === 'missing') return missing;
  return problem === 'too_long' ? `At most ${max} characters, please` : LINE_WORDS[problem];
}

/** What is wrong with a text of several lines, which may be empty. */
export function textError(typed: string, max: number): string | undefined {
  return readText(typed, max).problem && `At most ${max} characters, please`;
}

export function emailError(typed: string): string | undefined {
  const { problem } = readMailAddress(typed);
  if (!problem) return undefined;
  return problem === 'missing' ? 'Email is required' : 'Invalid email address';
}

/** What is wrong with a number that may be left out. */
export function phoneError(typed: string): string | undefined {
  if (!readPhone(typed) || mayBePhone(typed)) return undefined;
  return 'Enter a phone number such as 98765 43210, or leave it empty';
}
