import { type ReactNode, useEffect, useRef } from 'react';
import { Alert } from '@/components/ui/alert';
import type { AccountProblem } from '../account-messages';

type ProblemNoticeProps = { problem: AccountProblem | undefined; action?: ReactNode };

/** What went wrong with a call, above the form and in focus. */
export function ProblemNotice({ problem, action }: ProblemNoticeProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem) ref.current?.focus();
  }, [problem]);
  if (!problem) return null;
  return (
    <div ref={ref} tabIndex={-1} className="rounded-card">
      <Alert tone="error" live title={problem.title} action={action}>
        {problem.message}
      </Alert>
    </div>
  );
}
