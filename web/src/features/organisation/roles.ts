/** The roles of the practice's members, in the words that people read. */
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';

const ROLES: Record<StaffRole, { label: string; may: string }> = {
  [StaffRole.UNSPECIFIED]: { label: '', may: '' },
  [StaffRole.OWNER]: {
    label: 'Owner',
    may: 'Everything, and the practice itself.',
  },
  [StaffRole.ADMIN]: {
    label: 'Admin',
    may: 'Bookings, refunds, reviews and members, but no owners and no notes of clients.',
  },
  [StaffRole.PRACTITIONER]: {
    label: 'Practitioner',
    may: 'The own calendar and the own clients with their notes.',
  },
  [StaffRole.FRONT_DESK]: {
    label: 'Front desk',
    may: 'All bookings and closed times, but no refunds and no notes of clients.',
  },
};

const ALL = [StaffRole.OWNER, StaffRole.ADMIN, StaffRole.PRACTITIONER, StaffRole.FRONT_DESK];

export function roleLabel(role: StaffRole): string {
  return ROLES[role]?.label ?? '';
}

/** What a member of the role may do, as a sentence. */
export function roleRights(role: StaffRole): string {
  return ROLES[role]?.may ?? '';
}

export function isManager(role: StaffRole): boolean {
  return role === StaffRole.OWNER || role === StaffRole.ADMIN;
}

/** The roles that a member of this role may give: an admin makes no owner. */
export function rolesToGive(own: StaffRole): StaffRole[] {
  return ALL.filter((role) => own === StaffRole.OWNER || role !== StaffRole.OWNER);
}
