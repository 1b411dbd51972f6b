import { startMailServer, type MailServer } from '../../test/support/mail/smtp.ts'
import { startFakeStripe, type FakeStripe } from '../../test/support/stripe/fake.ts'
import { stripeSettings } from '../../test/support/stripe/objects.ts'

/** Opens the admin routes of a service with these surroundings. */
export const BENCH_ADMIN_KEY = 'admin-key-of-the-benchmarks'

/** A mail server and a payment processor on this machine, and the settings of a service that uses them. */
export interface Surroundings {
  readonly mails: MailServer
  readonly stripe: FakeStripe
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Starts both on free ports. */
export async function startSurroundings(): Promise<Surroundings> {
  const mails = await startMailServer()
  const { fake: stripe, close } = await startFakeStripe()
  const { secretKey = '', webhookSecret = '', prices, apiUrl = '' } = stripeSettings(stripe.url)
  return {
    mails,
    stripe,
    env: {
      // Mails, payments and identity providers of the attacks are on this machine.
      SVC_EGRESS_PRIVATE: '1',
      SVC_ADMIN_KEY: BENCH_ADMIN_KEY,
      SVC_SMTP_URL: mails.smtpUrl,
      SVC_MAIL_FROM: 'Service <no-reply@service.test>',
      SVC_STRIPE_SECRET_KEY: secretKey,
      SVC_STRIPE_WEBHOOK_SECRET: webhookSecret,
      SVC_STRIPE_PRICES: JSON.stringify(prices),
      SVC_STRIPE_API_URL: apiUrl,
    },
    close: async () => {
      await mails.close()
      await close()
    },
  }
}
