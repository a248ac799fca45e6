import { ToBooking } from '@/app/to-booking';

export default function BookSessionPage() {
  return <ToBooking />;
}
