/** The consent of a client who books: the one in force, and the one that is signed on this page. */
import { useEffect, useRef, useState } from 'react';
import type { GetConsentResponse } from '@/gen/booking/v1/consent_service_pb';
import type { AuthUser } from '@/lib/auth';
import { consentField, isAboutConsent } from '../consent-rules';
import { type ConsentForm, type SignedConsent, useConsentForm } from './use-consent-form';
import { useOwnConsent, useRefreshConsent } from './use-own-consent';

export type ClientConsent = {
  /** The client's consent as the server has it, once that is known. */
  own: GetConsentResponse | undefined;
  /** The server is asked for it. */
  isPending: boolean;
  form: ConsentForm;
  /** What was signed on this page and is not with the server yet. */
  signed: SignedConsent | undefined;
  sign: (consent: SignedConsent) => void;
  /** A consent to today's terms is in force, or was signed on this page. */
  isGiven: boolean;
  /** What was typed as signature and is nowhere else. */
  unsaved: string;
  /** The server has what was signed, with a booking. */
  stored: () => void;
  /** Shows a refusal where it is corrected; false for one that is about something else. */
  refuse: (field: string, message: string) => boolean;
};

/** What was signed belongs to one account, and no other one gives it. */
function useOwnSignature(userId: string | undefined, forget: () => void): void {
  const signer = useRef(userId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per account.
  useEffect(() => {
    const before = signer.current;
    signer.current = userId;
    if (before !== undefined && before !== userId) forget();
  }, [userId]);
}

export function useClientConsent(user: AuthUser | undefined): ClientConsent {
  const own = useOwnConsent(user?.id);
  const form = useConsentForm(user);
  const refresh = useRefreshConsent();
  const [signed, setSigned] = useState<SignedConsent>();
  const current = own.data?.current === true;
  useOwnSignature(user?.id, () => {
    setSigned(undefined);
    form.forget();
  });
  // A consent that the server has makes the signature on this page superfluous.
  useEffect(() => {
    if (current) setSigned(undefined);
  }, [current]);

  function refuse(field: string, message: string): boolean {
    if (!isAboutConsent(field)) return false;
    setSigned(undefined);
    const wrong = consentField(field);
    if (wrong) form.fields.refuse({ [wrong]: message });
    else form.setAccepted(false);
    return true;
  }

  return {
    own: own.data,
    isPending: user !== undefined && own.isPending,
    form,
    signed,
    sign: setSigned,
    isGiven: current || signed !== undefined,
    unsaved: current ? '' : form.fields.values.signature,
    stored: () => {
      form.forget();
      refresh();
    },
    refuse,
  };
}
