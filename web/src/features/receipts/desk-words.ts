/** How a payment was made at the practice's desk, by how our id of it begins; nothing for others. */
export function deskWords(paymentId: string): string | undefined {
  if (paymentId.startsWith('desk_cash_')) return 'In cash at the practice';
  if (paymentId.startsWith('desk_upi_')) return 'By UPI at the practice';
  return undefined;
}
