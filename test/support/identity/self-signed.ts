import { sign, type KeyObject } from 'node:crypto'
import { rsaKeys } from './rsa-keys.ts'

/** A key pair and a certificate that says so itself, as identity providers have them. */
export interface SelfSigned {
  readonly privateKey: KeyObject
  readonly privateKeyPem: string
  readonly certificatePem: string
}

const SHA256_WITH_RSA = '1.2.840.113549.1.1.11'
const COMMON_NAME = '2.5.4.3'

/** An RSA key with a new certificate in its own name. Node reads certificates but makes none, hence the DER by hand. */
export function selfSigned(commonName: string, modulusLength = 2048): SelfSigned {
  const { privateKey, publicKey } = rsaKeys(modulusLength)
  const algorithm = sequence(oid(SHA256_WITH_RSA), der(0x05))
  const name = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(commonName)))))
  const validity = sequence(der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('451231235959Z')))
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(body, algorithm, der(0x03, Buffer.of(0), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    privateKey,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff)
  return Buffer.of(0x80 | bytes.length, ...bytes)
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts)
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.of(value))
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const base128 = [part & 0x7f]
    for (let left = part >> 7; left > 0; left >>= 7) base128.unshift(0x80 | (left & 0x7f))
    bytes.push(...base128)
  }
  return der(0x06, Buffer.from(bytes))
}
