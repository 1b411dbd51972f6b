import { createHmac, randomBytes } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Returns a new secret in the form of Standard Webhooks: `whsec_` and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** One attempt to deliver a message. */
export interface SignedMessage {
  /** The same for each attempt, so that a receiver recognises a repetition. */
  readonly id: string
  readonly at: Date
  readonly body: string
}

/**
 * Returns the headers of a message: HMAC-SHA256 over `id.timestamp.body` in base64, as `v1,…` (Standard Webhooks 1.0.0,
 * symmetric signatures). The timestamp is that of the attempt, in seconds.
 */
export function webhookHeaders({ id, at, body }: SignedMessage, secret: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
