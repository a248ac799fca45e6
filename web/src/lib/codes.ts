/**
 * The numbers of Connect's codes. The enum itself comes with a runtime that most pages do without;
 * errors.test.ts holds these to it.
 */
import type { Code } from '@connectrpc/connect';

export const CODE = {
  Canceled: 1 as Code.Canceled,
  Unknown: 2 as Code.Unknown,
  InvalidArgument: 3 as Code.InvalidArgument,
  DeadlineExceeded: 4 as Code.DeadlineExceeded,
  NotFound: 5 as Code.NotFound,
  AlreadyExists: 6 as Code.AlreadyExists,
  PermissionDenied: 7 as Code.PermissionDenied,
  ResourceExhausted: 8 as Code.ResourceExhausted,
  FailedPrecondition: 9 as Code.FailedPrecondition,
  Aborted: 10 as Code.Aborted,
  Internal: 13 as Code.Internal,
  Unavailable: 14 as Code.Unavailable,
  Unauthenticated: 16 as Code.Unauthenticated,
} as const;
