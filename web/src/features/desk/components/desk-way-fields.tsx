/** How money changes hands at the desk: in cash, or by UPI with the bank's reference. */
import { RadioGroup } from '@/components/ui/radio-group';
import { TextField } from '@/components/ui/text-field';
import { DeskWay } from '@/gen/common/v1/money_pb';

/** The reference is empty for cash. */
export type DeskHandover = { way: DeskWay; reference: string };

/** As it is sent: cash has no reference, also where one was typed before. */
export function handoverToSend({ way, reference }: DeskHandover): DeskHandover {
  return { way, reference: way === DeskWay.UPI ? reference.trim() : '' };
}

/** "in cash" */
export function wayWord(way: DeskWay): string {
  return way === DeskWay.UPI ? 'by UPI' : 'in cash';
}

type DeskWayFieldsProps = {
  legend: string;
  value: DeskHandover;
  onChange: (value: DeskHandover) => void;
};

export function DeskWayFields({ legend, value, onChange }: DeskWayFieldsProps) {
  return (
    <>
      <RadioGroup
        legend={legend}
        name="way"
        options={[
          { value: String(DeskWay.CASH), label: 'In cash' },
          { value: String(DeskWay.UPI), label: 'By UPI' },
        ]}
        value={String(value.way)}
        onChange={(way) => onChange({ ...value, way: Number(way) })}
      />
      {value.way === DeskWay.UPI ? (
        <TextField
          label="The bank's reference"
          name="reference"
          optional
          autoComplete="off"
          maxLength={40}
          value={value.reference}
          onChange={(event) => onChange({ ...value, reference: event.target.value })}
        />
      ) : null}
    </>
  );
}
