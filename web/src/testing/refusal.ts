/** A refusal as the gateway would answer it, for tests. */
import { create } from '@bufbuild/protobuf';
import { type Code, ConnectError } from '@connectrpc/connect';
import { ErrorDetailSchema } from '@/gen/common/v1/error_detail_pb';

type Detail = { field?: string; message?: string; referenceId?: string };

export function refusal(code: Code, reason: string, detail: Detail = {}): ConnectError {
  const { field = '', message = 'the words of the service', referenceId = '' } = detail;
  const value = create(ErrorDetailSchema, { reason, field, referenceId });
  return new ConnectError(message, code, undefined, [{ desc: ErrorDetailSchema, value }]);
}
