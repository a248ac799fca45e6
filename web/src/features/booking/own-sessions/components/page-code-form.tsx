import { useEffect, useRef } from 'react';
import { MailCodeForm } from '@/components/mail-code-form';
import type { PageCode } from '../hooks/use-page-code';

type PageCodeFormProps = {
  pageCode: PageCode;
  /** Whether the code is mailed as soon as it is needed: a press that needs it has been made. */
  atOnce?: boolean;
};

/** Six digits by mail, where an act needs more than the link. */
export function PageCodeForm({ pageCode, atOnce = false }: PageCodeFormProps) {
  const { needed, mailCode, problem } = pageCode;
  const asked = useRef(false);
  const { send } = mailCode;
  useEffect(() => {
    if (!needed || !atOnce || asked.current) return;
    asked.current = true;
    send();
  }, [needed, atOnce, send]);
  if (!needed) return null;
  return (
    <div className="flex w-full flex-col gap-3">
      <MailCodeForm
        mailCode={mailCode}
        name="pageCode"
        before="A mail may be forwarded, so this needs one more step: we mail six digits to the address of this booking."
        after="We have mailed six digits to the address of this booking."
        problem={problem}
      />
    </div>
  );
}
