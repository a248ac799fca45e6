import { SelectField } from '@/components/ui/select-field';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { usePractice } from '@/lib/practice';
import { roleLabel, roleRights, rolesToGive } from '../roles';

export type RoleChoice = { role: StaffRole; practitionerId: string };

type RoleFieldsProps = {
  /** The caller's own role. */
  own: StaffRole;
  value: RoleChoice;
  onChange: (value: RoleChoice) => void;
};

/** The practitioner that a choice names: of a practice with several, and for that role alone. */
export function linked({ role, practitionerId }: RoleChoice): string {
  return role === StaffRole.PRACTITIONER ? practitionerId : '';
}

/** The role of a member, and for a practitioner whose calendar and clients are the own ones. */
export function RoleFields({ own, value, onChange }: RoleFieldsProps) {
  const { practitioners } = usePractice();
  const roles = rolesToGive(own).map((role) => ({ value: String(role), label: roleLabel(role) }));
  const people = practitioners.map(({ practitionerId, name }) => ({
    value: practitionerId,
    label: name,
  }));
  return (
    <>
      <SelectField
        label="Role"
        name="role"
        options={roles}
        value={String(value.role)}
        hint={roleRights(value.role)}
        onChange={({ target }) => onChange({ ...value, role: Number(target.value) })}
      />
      {value.role === StaffRole.PRACTITIONER && people.length > 0 ? (
        <SelectField
          label="Calendar and clients of"
          name="practitioner"
          options={[{ value: '', label: 'Please choose' }, ...people]}
          value={value.practitionerId}
          required
          onChange={({ target }) => onChange({ ...value, practitionerId: target.value })}
        />
      ) : null}
    </>
  );
}
