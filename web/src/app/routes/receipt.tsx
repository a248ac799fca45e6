import { ReceiptPage } from '@/features/receipts/components/receipt-page';

export default ReceiptPage;
