/** The roles of members as the desk names them. */
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';

const WORDS: Record<StaffRole, string> = {
  [StaffRole.UNSPECIFIED]: 'no member',
  [StaffRole.OWNER]: 'owner',
  [StaffRole.ADMIN]: 'admin',
  [StaffRole.PRACTITIONER]: 'practitioner',
  [StaffRole.FRONT_DESK]: 'front desk',
};

export function roleWord(role: StaffRole): string {
  return WORDS[role] ?? '';
}
