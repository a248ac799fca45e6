import { ToBooking } from '@/app/to-booking';

export default function BookPage() {
  return <ToBooking />;
}
