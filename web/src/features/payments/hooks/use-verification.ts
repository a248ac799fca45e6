/** The verification screen's clock: windows, tries and the customer's own claim. */

import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { toast } from '@/components/ui/toast-store';
import { CollectionState, PaymentsService } from '@/gen/payments/v1/payments_service_pb';
import { deviceMs } from '@/lib/clock';
import {
  type CheckResult,
  endMessage,
  runWindow,
  secondsLeft,
  type WindowKind,
  windowSeconds,
} from '../verification-schedule';

const CHECK_MS_MAX = 12_000;

function resultOf(state: CollectionState): CheckResult {
  switch (state) {
    case CollectionState.PAID:
      return 'paid';
    case CollectionState.REFUNDING:
    case CollectionState.REFUNDED:
    case CollectionState.MISMATCHED:
      return 'returned';
    default:
      return 'unpaid';
  }
}

type Round = { kind: WindowKind; deadline: number };

export type Verification = {
  status: 'pending' | 'paid' | 'returned' | 'failed';
  kind: WindowKind;
  secondsLeft: number;
  windowSeconds: number;
  /** Why it failed. */
  message: string;
  tryAgain: () => void;
  claim: () => void;
  claiming: boolean;
  claimed: boolean;
  claimError: unknown;
};

type Asked = {
  bookingId: string;
  /** The page knows the result already, or the customer's claim is being checked. */
  idle: boolean;
  /** Money was seen or claimed: the booking is worth reading again. */
  onNews: () => void;
};

const FAILED = 'Payment Verification Failed';

function startRound(kind: WindowKind): Round {
  return { kind, deadline: deviceMs() + windowSeconds(kind) * 1000 };
}

/** Whole seconds to the deadline, as long as they are shown. */
function useCountdown(deadline: number, running: boolean): number {
  const [now, setNow] = useState(deviceMs);
  useEffect(() => {
    if (!running) return;
    setNow(deviceMs());
    const timer = setInterval(() => setNow(deviceMs()), 500);
    return () => clearInterval(timer);
  }, [running]);
  return secondsLeft(deadline, Math.min(now, deadline));
}

export function useVerification({ bookingId, idle, onNews }: Asked): Verification {
  const transport = useTransport();
  const client = useMemo(() => createClient(PaymentsService, transport), [transport]);
  const [round, setRound] = useState<Round>(() => startRound('first'));
  const [status, setStatus] = useState<Verification['status']>('pending');
  const [message, setMessage] = useState('');
  const news = useRef(onNews);
  news.current = onNews;

  const check = useCallback(async (): Promise<CheckResult> => {
    try {
      const { state } = await client.checkPayment({ bookingId }, { timeoutMs: CHECK_MS_MAX });
      return resultOf(state);
    } catch {
      return 'error';
    }
  }, [client, bookingId]);

  const claim = useMutation({
    mutationFn: () => client.claimPayment({ bookingId, idempotencyKey: `claim-${bookingId}` }),
    onSuccess: ({ state }) => {
      const result = resultOf(state);
      if (result === 'paid' || result === 'returned') setStatus(result);
      news.current();
    },
  });

  // After a claim the page says that the payment is being checked, and not that it failed.
  const still = idle || claim.isSuccess;
  useEffect(() => {
    if (still) return;
    const stop = new AbortController();
    void runWindow({ ...round, check, signal: stop.signal }).then((end) => {
      if (stop.signal.aborted || end === 'stopped') return;
      if (end === 'paid' || end === 'returned') {
        setStatus(end);
        news.current();
        return;
      }
      const words = endMessage(round.kind, end);
      setStatus('failed');
      setMessage(words);
      toast({ title: FAILED, description: words, variant: 'destructive', beside: true });
    });
    return () => stop.abort();
  }, [round, check, still]);

  const tryAgain = () => {
    setStatus('pending');
    setMessage('');
    setRound(startRound('retry'));
    news.current();
  };

  return {
    status,
    kind: round.kind,
    secondsLeft: useCountdown(round.deadline, status === 'pending' && !still),
    windowSeconds: windowSeconds(round.kind),
    message,
    tryAgain,
    claim: () => claim.mutate(),
    claiming: claim.isPending,
    claimed: claim.isSuccess,
    claimError: claim.error,
  };
}
