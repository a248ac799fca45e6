/** /receipt: the receipts of a booking, also of one that was made on the phone. */
import { FindBooking } from '@/app/find-booking';
import { ReceiptPage } from '@/features/receipts/components/receipt-page';

export default function ReceiptRoute() {
  return <ReceiptPage missing={(refetch) => <FindBooking onFound={refetch} />} />;
}
