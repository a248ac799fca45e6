/** Sending a picture, with a server that a test plays. */
import { create, toBinary } from '@bufbuild/protobuf';
import { base64Encode } from '@bufbuild/protobuf/wire';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ErrorDetailSchema } from '@/gen/common/v1/error_detail_pb';
import { type UploadError, uploadPicture } from './upload-picture';

class FakeRequest {
  static last: FakeRequest;
  upload: { onprogress?: (event: ProgressEvent) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  ontimeout?: () => void;
  status = 0;
  responseText = '';
  timeout = 0;
  opened: string[] = [];
  headers: Record<string, string> = {};
  body: unknown;

  constructor() {
    FakeRequest.last = this;
  }
  open(...words: string[]) {
    this.opened = words;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  send(body: unknown) {
    this.body = body;
  }
  abort() {
    this.onabort?.();
  }
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
    this.onload?.();
  }
}

beforeEach(() => vi.stubGlobal('XMLHttpRequest', FakeRequest));
afterEach(() => vi.unstubAllGlobals());

const FILE = new File(['picture'], 'me.jpg', { type: 'image/jpeg' });

function start(signal = new AbortController().signal) {
  const parts: number[] = [];
  const done = uploadPicture(FILE, { onProgress: (part) => parts.push(part), signal });
  const ended = done.catch((error: UploadError) => error.reason);
  return { parts, done, ended, request: FakeRequest.last };
}

/** An answer as the gateway's one error form has it. */
function formed(reason: string) {
  const detail = toBinary(ErrorDetailSchema, create(ErrorDetailSchema, { reason }));
  const value = base64Encode(detail, 'std_raw');
  return { code: 'x', message: 'x', details: [{ type: 'common.v1.ErrorDetail', value }] };
}

test('the bytes are sent as they are, and the progress is reported', async () => {
  const { request, parts, done } = start();
  expect(request.opened).toEqual(['POST', '/uploads/reviews']);
  expect(request.headers['Content-Type']).toBe('image/jpeg');
  expect(request.body).toBe(FILE);
  const told = { lengthComputable: true, loaded: 3, total: 4 };
  request.upload.onprogress?.(told as ProgressEvent);
  request.answer(201, { imageId: 'img_1', width: 10, height: 10 });
  expect(await done).toBe('img_1');
  expect(parts).toEqual([0.75]);
});

test('a refusal is read from the gateway’s form and from the service’s own words', async () => {
  for (const reason of ['IMAGE_TOO_LARGE', 'INVALID_IMAGE', 'TOO_MANY_REQUESTS', 'BUSY']) {
    const first = start();
    first.request.answer(415, formed(reason));
    expect(await first.ended).toBe(reason);
    const second = start();
    second.request.answer(415, { reason, message: 'x' });
    expect(await second.ended).toBe(reason);
  }
  const bare = start();
  bare.request.answer(413, '<html>');
  expect(await bare.ended).toBe('IMAGE_TOO_LARGE');
});

test('no answer has no reason, and a cancelled upload is no failure', async () => {
  const lost = start();
  lost.request.onerror?.();
  expect(await lost.ended).toBe('');
  const leaving = new AbortController();
  const left = start(leaving.signal);
  leaving.abort();
  expect(await left.ended).toBe('CANCELLED');
});
