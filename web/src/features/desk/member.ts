/** The member at the desk, for all of its screens. */
import { createContext, useContext } from 'react';
import type { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';

export type DeskMember = { userId: string; role: StaffRole };

export const MemberContext = createContext<DeskMember | undefined>(undefined);

export function useMember(): DeskMember {
  const member = useContext(MemberContext);
  if (!member) throw new Error('The desk has no member.');
  return member;
}
