/** The code of an act that needs one: asked for, typed, and given to the act by its button. */
import { useState } from 'react';
import { type MailCode, useMailCode } from '@/lib/use-mail-code';
import { CODE_MISSING, pageCodeProblem } from '../page-code';
import { useSessionPort } from '../session-port';

export type PageCode = {
  mailCode: MailCode;
  needed: boolean;
  /** Whether the act can be pressed: no code is needed, or one can be typed. */
  isOpen: boolean;
  problem: string | undefined;
  /** Does the act with the code, or says at the field that it is missing. */
  act: (go: (code: string) => void) => void;
};

/** `error` is how the act ended last. */
export function usePageCode(needed: boolean, error: unknown): PageCode {
  const { requestCode } = useSessionPort();
  const [isMissing, setMissing] = useState(false);
  // What was wrong with the code of before says nothing of a new one.
  const [over, setOver] = useState<unknown>();
  const mailCode = useMailCode(async () => {
    const answer = (await requestCode?.()) ?? { validMinutes: 0 };
    setMissing(false);
    setOver(error);
    return answer;
  });
  const { code, canType } = mailCode;
  const said = error === over ? undefined : pageCodeProblem(error);
  return {
    mailCode,
    needed,
    isOpen: !needed || canType,
    problem: isMissing && !code ? CODE_MISSING : said,
    act: (go) => {
      setMissing(needed && !code);
      if (!needed || code) go(needed ? (code ?? '') : '');
    },
  };
}
