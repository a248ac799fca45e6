/** Lists the desk's single keys, and switches them off and on: not each keyboard is typed with fingers. */
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/checkbox';
import { Dialog } from '@/components/ui/dialog';
import { setKeysOn, useKeysOn } from '../keys-choice';
import { useMember } from '../member';
import { shortcutsOf } from '../model/shortcuts';

const KEY =
  'inline-grid min-h-8 min-w-8 place-items-center rounded-input border border-control bg-sunken ' +
  'px-2 font-semibold';

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { role } = useMember();
  const on = useKeysOn();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keyboard shortcuts"
      actions={
        <Button variant="secondary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Checkbox
          name="keys"
          label="Single keys act"
          hint="Never while you type. Switch them off if you speak to your device or use a key by accident; this browser remembers it."
          checked={on}
          onChange={(event) => setKeysOn(event.target.checked)}
        />
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
          {shortcutsOf(role).map(({ key, label }) => (
            <div key={key} className="col-span-2 grid grid-cols-subgrid items-center">
              <dt>
                <kbd className={KEY}>{key}</kbd>
              </dt>
              <dd className={on ? undefined : 'text-ink-2'}>{label}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
