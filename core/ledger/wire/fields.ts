import { z } from 'zod'
import type { Json } from '../../kernel/json/json.ts'

/** A SHA-256 digest on the wire. */
export const Hash = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)])

/** An HMAC-SHA256 on the wire. */
export const MacField = z.templateLiteral(['hmac-sha256:', z.string().regex(/^[0-9a-f]{64}$/)])

/** The fingerprint of a public key. */
export const Kid = z.string().regex(/^[0-9a-f]{32}$/)

/** An Ed25519 signature: 64 bytes in base64url without padding. */
export const Signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/)

/** The id of a receipt secret. */
export const KeyId = z.string().min(1).max(128)

/** A time on the wire: RFC 3339, UTC. */
export const Time = z.iso.datetime()

/** A short text that names a version or a resource. */
export const Name = z.string().min(1).max(128)

/** Any JSON value. For the rest of documents whose unknown fields are kept, since they are under the signature too. */
export const AnyJson = z.custom<Json>((value) => value !== undefined, 'expected a value')
