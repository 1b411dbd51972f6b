import { macText, sameMac, type MacSecret } from '../../../kernel/json/mac.ts'

/** Content of a share link's token. */
export interface ShareClaim {
  /** The link's id, `shr_…`. */
  readonly id: string
  readonly expiresAt: Date
}

const FORM = /^([0-9a-hjkmnp-tv-z]{26})\.([0-9a-z]{1,9})\.([0-9a-f]{64})$/

/**
 * The token of a share link: the link's id without its prefix, the second it ends at in base 36, and the HMAC-SHA256
 * of both. It can be checked without a look into the database, so guessing reaches none.
 */
export function writeShareToken({ id, expiresAt }: ShareClaim, secret: MacSecret): string {
  const claim = `${id.replace(/^shr_/, '')}.${Math.floor(expiresAt.getTime() / 1000).toString(36)}`
  return `${claim}.${macOf(claim, secret)}`
}

/** Returns a token's content; null if it was not signed with the secret or was changed since. */
export function readShareToken(token: string, secret: MacSecret): ShareClaim | null {
  const [, body, end, mac] = FORM.exec(token) ?? []
  if (body === undefined || end === undefined || mac === undefined) return null
  if (!sameMac(macText(textOf(`${body}.${end}`), secret), `hmac-sha256:${mac}`)) return null
  return { id: `shr_${body}`, expiresAt: new Date(Number.parseInt(end, 36) * 1000) }
}

function macOf(claim: string, secret: MacSecret): string {
  return macText(textOf(claim), secret).slice('hmac-sha256:'.length)
}

/** The signed text names its use, so that a MAC of another document does not fit. */
function textOf(claim: string): string {
  return `svc-share-link-1 ${claim}`
}
