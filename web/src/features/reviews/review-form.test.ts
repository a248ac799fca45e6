/** The rules of the form, what is kept of it, and the keys of its attempts. */
import { expect, test } from 'vitest';
import { readFormDraft, writeFormDraft } from '@/lib/form-draft';
import { endAttempt, keyOfAttempt } from '@/lib/idempotency-key';
import { averageOf } from './counted';
import { invitationIn } from './invitation';
import { ratingLabel } from './rating';
import { ATTEMPT_KEY, clearDraft, DRAFT_KEY } from './review-draft';
import {
  EMPTY_REVIEW,
  formatSize,
  imageProblem,
  lettersLeft,
  type ReviewValues,
  reviewField,
  TEXT_MAX,
  validateReview,
} from './review-rules';

const GOOD: ReviewValues = {
  rating: '5',
  name: 'Asha Rao',
  email: 'asha@example.org',
  service: 'Energy Healing',
  text: 'I left lighter than I came.',
};

test('everything but the picture is asked for, the rating first', () => {
  expect(validateReview(GOOD)).toEqual({});
  const found = validateReview(EMPTY_REVIEW);
  expect(Object.keys(found)).toEqual(['rating', 'name', 'email', 'service', 'text']);
  expect(found.rating).toBe('Please provide a rating');
  expect(validateReview({ ...GOOD, rating: '0' }).rating).toBe('Please provide a rating');
  expect(validateReview({ ...GOOD, email: 'asha' }).email).toBe('Invalid email address');
  expect(validateReview({ ...GOOD, text: ' \n ' }).text).toBe('Please write your review');
});

test('lengths are counted as the server counts them', () => {
  expect(validateReview({ ...GOOD, name: 'न'.repeat(80) })).toEqual({});
  expect(validateReview({ ...GOOD, name: 'a'.repeat(81) }).name).toContain('80');
  expect(validateReview({ ...GOOD, text: 'क'.repeat(TEXT_MAX) })).toEqual({});
  expect(validateReview({ ...GOOD, text: 'a'.repeat(TEXT_MAX + 1) }).text).toContain('by 1 ');
});

test('the counter comes near the limit only', () => {
  expect(lettersLeft('a'.repeat(3599))).toBeUndefined();
  expect(lettersLeft('a'.repeat(3999))).toBe('1 character left');
  expect(lettersLeft('a'.repeat(4002))).toBe('2 characters too many');
});

test('pictures have a size and a kind', () => {
  const limit = 5 * 1024 * 1024;
  expect(imageProblem({ size: limit, type: 'image/jpeg' })).toBeUndefined();
  expect(imageProblem({ size: limit + 1, type: 'image/png' })?.title).toBe('Image too large');
  for (const type of ['application/pdf', 'text/html', 'video/mp4']) {
    expect(imageProblem({ size: 1, type })?.title).toBe('Invalid file type');
  }
  expect(imageProblem({ size: 0, type: 'image/png' })?.title).toBe('Invalid file type');
  // What is in a file decides, and not what it is called.
  for (const type of ['', 'image/jpg', 'image/pjpeg', 'image/heic', 'application/octet-stream']) {
    expect(imageProblem({ size: 1, type })).toBeUndefined();
  }
  expect(formatSize(10)).toBe('1 KB');
  expect(formatSize(3_565_158)).toBe('3.4 MB');
});

test('only fields of the form take an error', () => {
  expect(reviewField('email')).toBe('email');
  expect(reviewField('idempotency_key')).toBeUndefined();
});

test('each rating has its label and the average is not invented', () => {
  const labels = [5, 4, 3, 2, 1, 0].map(ratingLabel);
  expect(labels).toEqual(['Excellent!', 'Very Good!', 'Good!', 'Fair', 'Poor', '']);
  expect(averageOf([])).toBeUndefined();
  expect(averageOf([0n, 0n, 0n, 0n, 0n])).toBeUndefined();
  expect(averageOf([1n, 0n, 0n, 1n, 2n])).toBe('3.8');
  expect(averageOf([0n, 0n, 0n, 0n, 7n])).toBe('5.0');
});

test('a draft survives a reload, and nothing is left of an empty one', () => {
  const readDraft = () => readFormDraft(DRAFT_KEY, EMPTY_REVIEW);
  expect(readDraft()).toEqual(EMPTY_REVIEW);
  writeFormDraft(DRAFT_KEY, GOOD);
  expect(readDraft()).toEqual(GOOD);
  clearDraft();
  expect(sessionStorage.length).toBe(0);
  sessionStorage.setItem('reviewDraft', '{"name":7');
  expect(readDraft()).toEqual(EMPTY_REVIEW);
});

test('the same content keeps its key until its attempt is over', () => {
  const first = keyOfAttempt(ATTEMPT_KEY, ['a', 'b']);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(keyOfAttempt(ATTEMPT_KEY, ['a', 'b'])).toBe(first);
  const other = keyOfAttempt(ATTEMPT_KEY, ['ab', '']);
  expect(other).not.toBe(first);
  endAttempt(ATTEMPT_KEY);
  expect(keyOfAttempt(ATTEMPT_KEY, ['ab', ''])).not.toBe(other);
});

test('an invitation is read from the fragment alone', () => {
  const secret = 'AbC-_9'.repeat(7);
  expect(invitationIn(`#invitation=${secret}`)).toBe(secret);
  expect(invitationIn(`#a=b&invitation=${secret}&c=d`)).toBe(secret);
  expect(invitationIn('#invitation=')).toBeUndefined();
  expect(invitationIn('#invitation=<b>')).toBeUndefined();
  expect(invitationIn('#list')).toBeUndefined();
});
