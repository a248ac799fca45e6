/** What became of a command that was not simply done. */
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { errorReason } from '@/lib/errors';
import { refusalWords } from '../model/refusal-words';

type CommandNoticeProps = {
  error: unknown;
  notSure: boolean;
  /** Reads again what the command was about. */
  onCheck: () => void;
  /** The words of a refusal, where the command has some of its own. */
  wordsOf?: typeof refusalWords;
};

export function CommandNotice(props: CommandNoticeProps) {
  const { error, notSure, onCheck, wordsOf = refusalWords } = props;
  if (notSure) {
    return (
      <Alert
        tone="warn"
        live
        title="Not sure whether it was done"
        action={
          <Button variant="secondary" size="sm" onClick={onCheck}>
            Check
          </Button>
        }
      >
        No answer came. Check reads what is true now. Pressing the same again does it at most once.
      </Alert>
    );
  }
  if (!error) return null;
  const words = wordsOf(errorReason(error));
  if (!words) return <ErrorNotice error={error} />;
  return (
    <Alert tone="error" live title={words.title}>
      {words.message}
    </Alert>
  );
}
