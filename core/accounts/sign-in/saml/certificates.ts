import { createHash, X509Certificate } from 'node:crypto'
import { invalidField } from '../../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../../errors.ts'

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const MAX_CERTIFICATES = 10
const MIN_MODULUS_BITS = 2048

/**
 * Reads signing certificates from PEM or from metadata's bare base64 and returns them as PEM. Throws
 * `invalid_identity_config` naming the field: for a private key, which must not be shared, for text that is not a
 * certificate, and for weak keys.
 */
export function readCertificates(text: string, field: string): readonly string[] {
  if (text.includes('PRIVATE KEY')) {
    throw invalid(field, 'must not hold a private key: only the certificate is needed')
  }
  const blocks = text.match(BLOCK) ?? [text]
  if (blocks.length > MAX_CERTIFICATES) throw invalid(field, `must hold at most ${MAX_CERTIFICATES} certificates`)
  return blocks.map((block) => readCertificate(block, field))
}

/** The certificate's SHA-256, in hex, as identity providers show it. */
export function certificateSha256(pem: string): string {
  return createHash('sha256').update(new X509Certificate(pem).raw).digest('hex')
}

function readCertificate(text: string, field: string): string {
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, '').replace(/\s+/g, '')
  const der = Buffer.from(base64, 'base64')
  if (der.length === 0 || der.toString('base64') !== base64) throw invalid(field, 'is not a certificate in PEM form')
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(der)
  } catch (error) {
    throw invalid(field, 'is not a certificate in PEM form', error)
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_MODULUS_BITS) {
    throw invalid(field, `must be of an RSA key of at least ${MIN_MODULUS_BITS} bits`)
  }
  return certificate.toString()
}

function invalid(field: string, message: string, cause?: unknown) {
  return invalidField(field, message, ACCOUNTS_ERRORS.invalid_identity_config, cause)
}
