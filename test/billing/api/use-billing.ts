import { useApi, type Answer, type TestApi, type TestApiOptions } from '../../support/api.ts'
import { useFakeStripe, type FakeStripe } from '../../support/stripe/fake.ts'
import { signedEvent, stripeSettings } from '../../support/stripe/objects.ts'
import type { StripeSettings } from '../../../core/billing/stripe/stripe-processor.ts'

/** A server with payments set up, and the processor that it talks to. */
export interface TestBilling {
  readonly api: TestApi
  readonly stripe: FakeStripe
  /** Delivers an event, signed at this moment. */
  readonly deliver: (event: object) => Promise<Answer>
}

/** Runs both for the surrounding suite. */
export function useBilling(options: TestApiOptions & { readonly change?: Partial<StripeSettings> } = {}): TestBilling {
  const stripe = useFakeStripe()
  const settings = {
    ...options.settings,
    // Read when the server starts; only then the other one has an address.
    get stripe() {
      return stripeSettings(stripe.url, options.change)
    },
  }
  const api = useApi({ ...options, settings })
  return {
    api,
    stripe,
    async deliver(event) {
      const { payload, header } = signedEvent(event, options.now?.() ?? new Date())
      return await api.call('POST', '/v1/webhooks/stripe', { raw: payload, headers: { 'stripe-signature': header } })
    },
  }
}

/** Now, in seconds. */
export const nowS = (): number => Math.floor(Date.now() / 1000)
