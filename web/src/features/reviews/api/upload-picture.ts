/** Sends a picture's bytes as they are, and reports the progress. */
import { fromBinary } from '@bufbuild/protobuf';
import { base64Decode } from '@bufbuild/protobuf/wire';
import { ErrorDetailSchema } from '@/gen/common/v1/error_detail_pb';

const ADDRESS = '/uploads/reviews';
/** The server gives a whole upload a minute. */
const TIMEOUT_MS = 70_000;

export class UploadError extends Error {
  /** A stable word for programs, "CANCELLED", or empty where nothing was answered. */
  readonly reason: string;
  readonly referenceId: string;

  constructor(reason: string, referenceId = '') {
    super(`The picture was not taken: ${reason || 'no answer'}`);
    this.name = 'UploadError';
    this.reason = reason;
    this.referenceId = referenceId;
  }
}

type Body = { imageId?: unknown; reason?: unknown; details?: { value?: unknown }[] };

function readBody(text: string): Body {
  try {
    return (JSON.parse(text) ?? {}) as Body;
  } catch {
    return {};
  }
}

/** The gateway's one error form, or the bare words of the service behind it. */
function errorOf(status: number, body: Body): UploadError {
  if (typeof body.reason === 'string') return new UploadError(body.reason);
  const value = body.details?.[0]?.value;
  if (typeof value === 'string') {
    try {
      const { reason, referenceId } = fromBinary(ErrorDetailSchema, base64Decode(value));
      return new UploadError(reason, referenceId);
    } catch {
      // Not our detail; the status says enough.
    }
  }
  return new UploadError(status === 413 ? 'IMAGE_TOO_LARGE' : '');
}

function answerOf(request: XMLHttpRequest): string | UploadError {
  const body = readBody(request.responseText);
  const good = request.status >= 200 && request.status < 300;
  if (good && typeof body.imageId === 'string') return body.imageId;
  return errorOf(request.status, body);
}

export type Watch = {
  /** Called with the part that was sent, 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
};

/** The id under which the server keeps the picture until a review takes it. */
export function uploadPicture(file: Blob, { onProgress, signal }: Watch): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new UploadError('CANCELLED'));
    const request = new XMLHttpRequest();
    request.open('POST', ADDRESS);
    request.timeout = TIMEOUT_MS;
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    request.upload.onprogress = (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    };
    request.onload = () => {
      const answer = answerOf(request);
      if (typeof answer === 'string') resolve(answer);
      else reject(answer);
    };
    request.onerror = () => reject(new UploadError(''));
    request.ontimeout = () => reject(new UploadError(''));
    request.onabort = () => reject(new UploadError('CANCELLED'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
