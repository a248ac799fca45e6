/** What the account forms ask for. The identity service checks the same and has the last word. */
import type { FieldErrors } from '@/lib/use-fields';

export const PASSWORD_MIN = 10;
const PASSWORD_MAX = 256;
export const CODE_LENGTH = 6;

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

function emailError(email: string): string | undefined {
  if (!email.trim()) return 'Email is required';
  return /^\S+@\S+$/.test(email.trim()) ? undefined : 'Invalid email address';
}

function newPasswordError(password: string): string | undefined {
  if (!password) return 'Password is required';
  if ([...password].length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters`;
  return password.length > PASSWORD_MAX ? `At most ${PASSWORD_MAX} characters, please` : undefined;
}

function phoneError(phone: string): string | undefined {
  if (!phone.trim()) return undefined;
  const digits = phone.replace(/\D/g, '').length;
  const formed = /^\+?[\d\s().-]+$/.test(phone.trim()) && digits >= 7 && digits <= 15;
  return formed ? undefined : 'Enter a phone number such as 98765 43210, or leave it empty';
}

export function validateSignIn(values: SignInValues): FieldErrors<SignInValues> {
  return drop({
    email: emailError(values.email),
    password: values.password ? undefined : 'Password is required',
  });
}

export function validateSignUp(values: SignUpValues): FieldErrors<SignUpValues> {
  return drop({
    firstName: values.firstName.trim() ? undefined : 'First name is required',
    lastName: values.lastName.trim() ? undefined : 'Last name is required',
    email: emailError(values.email),
    phone: phoneError(values.phone),
    password: newPasswordError(values.password),
  });
}

/** Signing in for a booking: the least that a practice has to know. */
export function validateBooker(values: BookerValues): FieldErrors<BookerValues> {
  return drop({
    name: values.name.trim() ? undefined : 'Your name is required',
    email: emailError(values.email),
    phone: phoneError(values.phone),
  });
}

/** An account may have one name only. */
export function validateProfile(values: ProfileValues): FieldErrors<ProfileValues> {
  return drop({
    firstName: values.firstName.trim() ? undefined : 'First name is required',
    phone: phoneError(values.phone),
  });
}

const NAME_MAX = 64;

export function validateName({ name }: NameValues): FieldErrors<NameValues> {
  if (!name.trim()) return { name: 'Please give it a name' };
  return drop({ name: name.length > NAME_MAX ? `At most ${NAME_MAX} characters` : undefined });
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

/** "Asha Devi Rao" → first name "Asha Devi", last name "Rao". */
export function splitName(fullName: string): { firstName: string; lastName: string } {
  const parts = fullName.trim().split(/\s+/);
  const lastName = parts.length > 1 ? (parts.pop() ?? '') : '';
  return { firstName: parts.join(' '), lastName };
}

export function validateEmail(values: EmailValues): FieldErrors<EmailValues> {
  return drop({ email: emailError(values.email) });
}

export function validatePassword(values: PasswordValues): FieldErrors<PasswordValues> {
  return drop({ password: newPasswordError(values.password) });
}

/** Codes are pasted with spaces and dashes; the digits are what counts. */
export function codeDigits(code: string): string {
  return code.replace(/\D/g, '');
}

export function validateCode(values: CodeValues): FieldErrors<CodeValues> {
  const right = codeDigits(values.code).length === CODE_LENGTH;
  return drop({ code: right ? undefined : `Enter the ${CODE_LENGTH} digits from our mail` });
}
