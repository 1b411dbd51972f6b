import { createSign, type KeyObject } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** A part of a JSON Web Token. */
export type JwtPart = Readonly<Record<string, unknown>>

/** An ID token on its way out of a provider, and the means to make another one. */
export interface IdToken {
  readonly header: JwtPart
  readonly claims: JwtPart
  /** Another token, signed with the provider's own key. */
  readonly sign: (header: JwtPart, claims: JwtPart) => string
}

/** Puts another ID token into an answer of a token endpoint before it leaves. */
export function replaceIdToken(response: ServerResponse, forge: (token: IdToken) => string, key: KeyObject): void {
  const end = response.end.bind(response)
  const replace = (body: unknown): ServerResponse => {
    const answer: Record<string, unknown> = JSON.parse(String(body))
    const [header = '', claims = ''] = String(answer['id_token']).split('.')
    const sign = (...parts: [JwtPart, JwtPart]): string => signJwt(key, ...parts)
    const text = JSON.stringify({ ...answer, id_token: forge({ header: read(header), claims: read(claims), sign }) })
    response.setHeader('content-length', Buffer.byteLength(text))
    return end(text)
  }
  Object.assign(response, { end: replace })
}

/** A JSON Web Token of these parts (RFC 7519), signed with RS256, whatever its header says. */
export function signJwt(key: KeyObject, header: JwtPart, claims: JwtPart): string {
  const signed = unsignedJwt(header, claims)
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`
}

/** The part of a JSON Web Token that is signed. */
export function unsignedJwt(header: JwtPart, claims: JwtPart): string {
  return [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
}

function read(part: string): JwtPart {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
}
