import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A key pair that issues certificates or signs reports. */
export interface Pair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A certificate with the keys of its subject. */
export interface Issued extends Pair {
  readonly name: string
  readonly der: Buffer
}

/** Returns a certificate as PEM. */
export function pemOf({ der }: Pick<Issued, 'der'>): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** A new pair of P-384. */
export function ecPair(): Pair {
  return generateKeyPairSync('ec', { namedCurve: 'P-384' })
}

/** A new pair of RSA. */
export function rsaPair(): Pair {
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

const OIDS = {
  commonName: '550403',
  basicConstraints: '551d13',
  ecdsaSha384: '2a8648ce3d040303',
  rsaPss: '2a864886f70d01010a',
  sha384: '608648016503040202',
  mgf1: '2a864886f70d010108',
}

/** Issues a certificate (RFC 5280) to `pair`; by itself when there is no issuer. Extensions are object identifiers in hex with values. */
export function issue(options: {
  readonly name: string
  readonly pair: Pair
  readonly issuer?: Issued
  readonly isCa?: boolean
  readonly from?: Date
  readonly to?: Date
  readonly extensions?: readonly (readonly [oid: string, value: Buffer])[]
}): Issued {
  const { name, pair, issuer } = options
  const signer = issuer ?? { ...pair, name }
  const isRsa = signer.privateKey.asymmetricKeyType === 'rsa'
  const algorithm = isRsa ? rsaPssAlgorithm() : sequence(oid(OIDS.ecdsaSha384))
  const constraints = sequence(oid(OIDS.basicConstraints), octets(sequence(der(0x01, Buffer.from([0xff])))))
  const extensions = [
    ...(options.isCa === true ? [constraints] : []),
    ...(options.extensions ?? []).map(([id, value]) => sequence(oid(id), octets(value))),
  ]
  const body = sequence(
    der(0xa0, integer(2)),
    integer(Math.floor(Math.random() * 1e9) + 1),
    algorithm,
    nameOf(signer.name),
    sequence(time(options.from ?? new Date('2025-01-01')), time(options.to ?? new Date('2045-01-01'))),
    nameOf(name),
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  )
  const key = isRsa ? { key: signer.privateKey, padding: 6, saltLength: 48 } : { key: signer.privateKey }
  const signature = sign('sha384', body, key)
  const certificate = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  return { ...pair, name, der: certificate }
}

/** One DER item. */
export function der(tag: number, value: Buffer): Buffer {
  const { length } = value
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), value])
}

/** A DER integer of one to five bytes. */
export function integer(value: number): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return der(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.from([0]), bytes]))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function octets(value: Buffer): Buffer {
  return der(0x04, value)
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function nameOf(text: string): Buffer {
  return sequence(der(0x31, sequence(oid(OIDS.commonName), der(0x0c, Buffer.from(text)))))
}

function time(at: Date): Buffer {
  return der(0x18, Buffer.from(`${at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`))
}

function rsaPssAlgorithm(): Buffer {
  const hash = sequence(oid(OIDS.sha384))
  const parameters = sequence(der(0xa0, hash), der(0xa1, sequence(oid(OIDS.mgf1), hash)), der(0xa2, integer(48)))
  return sequence(oid(OIDS.rsaPss), parameters)
}
