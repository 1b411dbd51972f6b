/** State of a delivery. `skipped`: what it reports did not happen. */
export const DELIVERY_STATES = ['pending', 'sent', 'failed', 'skipped'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** The address of a hook and the secret that signs what is sent to it. */
export interface WebhookEndpoint {
  readonly url: string
  /** `whsec_` and 32 random bytes in base64. */
  readonly secret: string
}
