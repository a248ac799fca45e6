/** What the account forms ask for. The identity service checks the same and has the last word. */
import { readDigits, readLine, readText } from '@/lib/typed';
import { emailError, lineError, phoneError } from '@/lib/typed-errors';
import type { FieldErrors } from '@/lib/use-fields';

export const PASSWORD_MIN = 10;
const PASSWORD_MAX = 256;
export const CODE_LENGTH = 6;
/** A mailed code has eight digits where this browser is not known by the account. */
const MAILED_CODE_LENGTHS = [CODE_LENGTH, 8];
const NAME_CHARACTERS_MAX = 200;

export type SignInValues = { email: string; password: string };
export type EmailValues = { email: string };
export type CodeValues = { code: string };
export type PasswordValues = { password: string };
export type NewPasswordValues = { currentPassword: string; code: string; password: string };
export type NameValues = { name: string };
export type ProfileValues = { firstName: string; lastName: string; phone: string };
export type BookerValues = { name: string; email: string; phone: string };
export type SignUpValues = {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  password: string;
};

function drop<V>(errors: FieldErrors<V>): FieldErrors<V> {
  return Object.fromEntries(Object.entries(errors).filter(([, text]) => text)) as FieldErrors<V>;
}

function newPasswordError(password: string): string | undefined {
  if (!password) return 'Password is required';
  if ([...password].length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters`;
  return password.length > PASSWORD_MAX ? `At most ${PASSWORD_MAX} characters, please` : undefined;
}

function nameError(name: string, missing: string): string | undefined {
  return lineError(name, NAME_CHARACTERS_MAX, missing);
}

/** What is wrong with a name that may be left out. */
function optionalNameError(name: string): string | undefined {
  return name.trim() ? nameError(name, 'Please write at least one letter') : undefined;
}

export function validateSignIn(values: SignInValues): FieldErrors<SignInValues> {
  return drop({
    email: emailError(values.email),
    password: values.password ? undefined : 'Password is required',
  });
}

export function validateSignUp(values: SignUpValues): FieldErrors<SignUpValues> {
  return drop({
    firstName: nameError(values.firstName, 'First name is required'),
    lastName: nameError(values.lastName, 'Last name is required'),
    email: emailError(values.email),
    phone: phoneError(values.phone),
    password: newPasswordError(values.password),
  });
}

/** Signing in for a booking: the least that a practice has to know. */
export function validateBooker(values: BookerValues): FieldErrors<BookerValues> {
  return drop({
    name: nameError(values.name, 'Your name is required'),
    email: emailError(values.email),
    phone: phoneError(values.phone),
  });
}

/** An account may have one name only. */
export function validateProfile(values: ProfileValues): FieldErrors<ProfileValues> {
  return drop({
    firstName: nameError(values.firstName, 'First name is required'),
    lastName: optionalNameError(values.lastName),
    phone: phoneError(values.phone),
  });
}

const NAME_MAX = 64;

export function validateName({ name }: NameValues): FieldErrors<NameValues> {
  const { read, problem } = readText(name, NAME_MAX);
  if (problem) return { name: `At most ${NAME_MAX} characters` };
  return drop({ name: read ? undefined : 'Please give it a name' });
}

/** With the password that is in use. */
export function validateChange(values: NewPasswordValues): FieldErrors<NewPasswordValues> {
  return drop({
    currentPassword: values.currentPassword ? undefined : 'Enter your current password',
    password: newPasswordError(values.password),
  });
}

/** With the code of a mail, where no password is in use or it is forgotten. */
export function validateChangeByCode(values: NewPasswordValues): FieldErrors<NewPasswordValues> {
  return drop({ ...validateCode(values), password: newPasswordError(values.password) });
}

/** "Asha Devi Rao" → first name "Asha Devi", last name "Rao"; each has a letter. */
export function splitName(fullName: string): { firstName: string; lastName: string } {
  const parts = fullName.trim().split(/\s+/);
  const isName = (part: string) => readLine(part, NAME_CHARACTERS_MAX).problem === undefined;
  const at = parts.findLastIndex(isName);
  const firstName = parts.slice(0, at).join(' ');
  if (at < 1 || !isName(firstName)) return { firstName: parts.join(' '), lastName: '' };
  return { firstName, lastName: parts.slice(at).join(' ') };
}

export function validateEmail(values: EmailValues): FieldErrors<EmailValues> {
  return drop({ email: emailError(values.email) });
}

export function validatePassword(values: PasswordValues): FieldErrors<PasswordValues> {
  return drop({ password: newPasswordError(values.password) });
}

/** Codes are pasted with spaces and dashes; the digits are what counts. */
export function codeDigits(code: string): string {
  return readDigits(code);
}

export function validateCode(values: CodeValues): FieldErrors<CodeValues> {
  const right = codeDigits(values.code).length === CODE_LENGTH;
  return drop({ code: right ? undefined : `Enter the ${CODE_LENGTH} digits from our mail` });
}

export function validateMailedCode(values: CodeValues): FieldErrors<CodeValues> {
  const right = MAILED_CODE_LENGTHS.includes(codeDigits(values.code).length);
  return drop({ code: right ? undefined : 'Enter all digits of the code from our mail' });
}
