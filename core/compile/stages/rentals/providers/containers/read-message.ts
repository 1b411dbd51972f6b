/** A field of a message: a number, or the bytes of a text or of a message within. */
type Field = number | Uint8Array

/** The fields of a message by their numbers; a repeated one has several values. */
export type Message = ReadonlyMap<number, readonly Field[]>

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** Reads the fields of a message (https://protobuf.dev/programming-guides/encoding); throws a `RangeError` for one that is cut off. */
export function readMessage(bytes: Uint8Array): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fields = new Map<number, Field[]>()
  let at = 0
  const next = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = view.getUint8(at++)
      value += (byte & 127) * scale
      if (byte < 128) return value
      if (scale > 2 ** 56) throw new RangeError('a number is too long')
    }
  }
  while (at < bytes.length) {
    const tag = next()
    const field = Math.floor(tag / 8)
    const kind = tag & 7
    let value: Field
    if (kind === VARINT) value = next()
    else if (kind === FIXED64) {
      value = view.getFloat64(at, true)
      at += 8
    } else if (kind === FIXED32) {
      value = view.getFloat32(at, true)
      at += 4
    } else if (kind === BYTES) {
      const length = next()
      if (length > bytes.length - at) throw new RangeError('a field is cut off')
      value = bytes.subarray(at, at + length)
      at += length
    } else throw new RangeError(`a field has the unknown form ${kind}`)
    const known = fields.get(field)
    if (known === undefined) fields.set(field, [value])
    else known.push(value)
  }
  return fields
}

/** The last text of a field; empty where it is absent. */
export function textField(message: Message, field: number): string {
  const value = message.get(field)?.at(-1)
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : ''
}

/** The last number of a field; 0 where it is absent. */
export function numberField(message: Message, field: number): number {
  const value = message.get(field)?.at(-1)
  return typeof value === 'number' ? value : 0
}

/** The messages of a field. */
export function messagesOf(message: Message, field: number): readonly Message[] {
  return (message.get(field) ?? []).flatMap((value) => (value instanceof Uint8Array ? [readMessage(value)] : []))
}
