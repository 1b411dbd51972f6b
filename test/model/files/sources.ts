import type { ByteSource } from '../../../core/model/files/safetensors/read.ts'

/** Bytes as a source that fails the test when it is read outside of them. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: async (into, offset) => {
      if (offset < 0 || offset + into.length > bytes.length) throw new RangeError('read outside of the file')
      into.set(bytes.subarray(offset, offset + into.length))
      return await Promise.resolve(into.length)
    },
  }
}

/** A safetensors file with this header and so many bytes behind it. */
export function fileOf(header: unknown, dataBytes: number): Uint8Array {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([length, json, Buffer.alloc(dataBytes)])
}
