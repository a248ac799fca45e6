/** What a booking's forms have in memory goes with their person, while the page stays open. */
import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '@/features/booking/shared/draft';
import { useDraft } from '@/features/booking/shared/hooks/use-draft';
import { EMPTY_CONSENT } from '@/features/consent/consent-rules';
import { useConsentForm } from '@/features/consent/hooks/use-consent-form';
import type { AuthUser } from '@/lib/auth';
import { forgetPerson } from '@/lib/personal-state';

const NAMES = { firstName: 'Asha', lastName: 'Rao', phone: '98765 43210' };
const ASHA: AuthUser = { id: 'u1', email: 'asha@example.org', ...NAMES };
const SLOT = '2026-12-01T10:00:00Z';

type Signed = { user: AuthUser | undefined };

/** A form of Asha's, and how her session ends. */
function opened<F>(form: (user: AuthUser | undefined) => F) {
  const props: Signed = { user: ASHA };
  const view = renderHook(({ user }: Signed) => form(user), { initialProps: props });
  const leave = () =>
    act(() => {
      forgetPerson();
      view.rerender({ user: undefined });
    });
  return { form: view.result, leave };
}

test('a booking has no contact, notes and ticks of the person before', () => {
  const { form, leave } = opened(useDraft);
  act(() => form.current.fields.set('notes', 'of my health'));
  act(() => form.current.setInPerson(true));
  act(() => form.current.setAgreed(true));
  expect(form.current.fields.values).toMatchObject({ firstName: 'Asha', notes: 'of my health' });
  leave();
  const { fields, inPerson, agreed } = form.current;
  expect(fields.values).toEqual(EMPTY_CONTACT);
  expect([inPerson, agreed]).toEqual([false, false]);
  expect(sessionStorage.getItem('bookingDraft')).toBeNull();
});

test('a consent to a late time is not written down again after its person has gone', () => {
  const { form, leave } = opened(useDraft);
  act(() => form.current.lateConsents.set(SLOT, true));
  expect(form.current.lateConsents.has(SLOT)).toBe(true);
  leave();
  act(() => form.current.lateConsents.set('another', true));
  expect(sessionStorage.getItem('bookingLateAgreed')).not.toContain('u1');
});

test('a declaration has no name, signature and tick of the person before', () => {
  const { form, leave } = opened(useConsentForm);
  act(() => form.current.fields.set('signature', 'Asha Rao'));
  act(() => form.current.setAccepted(true));
  const signed = { fullName: 'Asha Rao', email: 'asha@example.org', signature: 'Asha Rao' };
  expect(form.current.fields.values).toEqual(signed);
  leave();
  expect([form.current.fields.values, form.current.accepted]).toEqual([EMPTY_CONSENT, false]);
  expect(sessionStorage.getItem('consentDraft')).toBeNull();
});
