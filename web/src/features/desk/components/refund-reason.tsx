/** Why a client asks for a refund, in the client's own words. */
import type { RefundRequest } from '@/gen/payments/v1/refund_request_service_pb';

export function RefundReason({ request: { reason } }: { request: RefundRequest }) {
  if (!reason) return <p className="text-ink-2">The client gave no reason.</p>;
  return (
    <blockquote
      dir="auto"
      className="rounded-card bg-sunken p-3 whitespace-pre-line wrap-break-word"
    >
      {reason}
    </blockquote>
  );
}
