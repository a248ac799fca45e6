/**
 * The gateway's ErrorDetail inside an error, read without the protobuf runtime: three texts, which
 * on the wire are a tag, a length and UTF-8.
 */
import type { ConnectError } from '@connectrpc/connect';

export type Detail = { reason: string; field: string; referenceId: string };

const TYPE = 'common.v1.ErrorDetail';
/** By field number, as error_detail.proto has them. */
const FIELDS = [undefined, 'reason', 'field', 'referenceId'] as const;

const WIRE_TEXT = 2;
const TAG_BITS = 3;
const MORE = 0x80;

/** A varint that fits 28 bits, and where it ends. Longer ones are no length of ours. */
function varint(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  for (let index = 0; index < 4; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value |= (byte & (MORE - 1)) << (7 * index);
    if (byte < MORE) return [value, at + index + 1];
  }
  return [0, bytes.length];
}

/** The content of the bytes; absent texts are empty. */
export function readDetail(bytes: Uint8Array): Detail {
  const detail: Detail = { reason: '', field: '', referenceId: '' };
  let at = 0;
  while (at < bytes.length) {
    const [tag, start] = varint(bytes, at);
    const [length, text] = varint(bytes, start);
    // Nothing but texts is written here; anything else ends the reading.
    if ((tag & ((1 << TAG_BITS) - 1)) !== WIRE_TEXT) return detail;
    const name = FIELDS[tag >> TAG_BITS];
    at = text + length;
    if (name) detail[name] = new TextDecoder().decode(bytes.subarray(text, at));
  }
  return detail;
}

/** The detail of an error that came from the gateway, or of one that a test has made. */
export function detailOf({ details }: ConnectError): Detail | undefined {
  for (const detail of details) {
    if ('type' in detail && detail.type === TYPE) return readDetail(detail.value);
    if ('desc' in detail && detail.desc.typeName === TYPE) return detail.value as unknown as Detail;
  }
  return undefined;
}
