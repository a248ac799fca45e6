/** The services of money, mails, consents and calendars, for the screens that need them. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMemo } from 'react';
import { OrganisationStaffService } from '@/gen/booking/v1/organisation_service_pb';
import { NotificationsStaffService } from '@/gen/notifications/v1/notifications_staff_service_pb';
import { PaymentsStaffService } from '@/gen/payments/v1/payments_staff_service_pb';
import { RefundRequestStaffService } from '@/gen/payments/v1/refund_request_service_pb';

export function usePaymentsStaff() {
  const transport = useTransport();
  return useMemo(() => createClient(PaymentsStaffService, transport), [transport]);
}

export function useMailsStaff() {
  const transport = useTransport();
  return useMemo(() => createClient(NotificationsStaffService, transport), [transport]);
}

export function useOrganisationStaff() {
  const transport = useTransport();
  return useMemo(() => createClient(OrganisationStaffService, transport), [transport]);
}

export function useRefundRequestStaff() {
  const transport = useTransport();
  return useMemo(() => createClient(RefundRequestStaffService, transport), [transport]);
}
