import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { ValueError, type Payload, type PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'

const PayloadMessage = proto.temporal.api.common.v1.Payload

const ENCODING = 'binary/encrypted'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * A payload codec that encrypts with AES-256-GCM under the first key and decrypts under any of them, so that a key can
 * be replaced while runs are open. Each payload names its key by id; the id is authenticated with it. Payloads written
 * before a key was set pass through unchanged. Throws a `RangeError` for a key that is not 32 bytes.
 */
export function createPayloadCodec(keys: readonly [Uint8Array, ...Uint8Array[]]): PayloadCodec {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]))
  const [current] = keys
  const currentId = keyIdOf(current)
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, current, currentId)),
    decode: async (payloads) =>
      payloads.map((payload) => {
        if (textOf(payload.metadata?.['encoding']) !== ENCODING) return payload
        const keyId = textOf(payload.metadata?.['encryption-key-id'])
        const key = byId.get(keyId)
        if (key === undefined) throw new ValueError(`no codec key has the id ${keyId}; set the key it was written with`)
        return decrypt(payload, key, keyId)
      }),
  }
}

/** Returns the public name of a key: the first 16 hex digits of its SHA-256 digest. */
function keyIdOf(key: Uint8Array): string {
  if (key.byteLength !== 32) throw new RangeError('a codec key has 32 bytes')
  return createHash('sha256').update('svc codec key id\0').update(key).digest('hex').slice(0, 16)
}

function encrypt(payload: Payload, key: Uint8Array, keyId: string): Payload {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(keyId))
  const sealed = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()]
  return {
    metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(keyId) },
    data: Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]),
  }
}

function decrypt(payload: Payload, key: Uint8Array, keyId: string): Payload {
  const data = payload.data ?? new Uint8Array()
  if (data.byteLength < NONCE_BYTES + TAG_BYTES) throw new ValueError('an encrypted payload is cut short')
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(keyId))
  decipher.setAuthTag(data.subarray(-TAG_BYTES))
  const opened = Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  return PayloadMessage.decode(opened)
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString()
}
