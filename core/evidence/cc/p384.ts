import { type KeyObject, verify } from 'node:crypto'

/**
 * True when a signature (r and s, 48 bytes each) is ECDSA P-384 with SHA-384 of the bytes under the key. It is computed
 * beside the event loop. False for a key of another curve.
 */
export async function isSignedBy(key: KeyObject, bytes: Buffer, signature: Buffer): Promise<boolean> {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'secp384r1') return false
  return await new Promise((resolve, reject) => {
    verify('sha384', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature, (error, isRight) => {
      if (error === null) resolve(isRight)
      else reject(error)
    })
  })
}
