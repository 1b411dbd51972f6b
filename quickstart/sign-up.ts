import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import type { ApiClient } from '../cli/client/api-client.ts'
import { CliError } from '../cli/cli-error.ts'
import { SignUpAnswer, type SignUpBody } from '../core/accounts/wire/identity/signup.ts'

/** Signs a tenant up under an address of its own. Throws `CliError`; says what to do when the limit of sign-ups is reached. */
export async function signUp(guest: ApiClient, apiUrl: string): Promise<z.input<typeof SignUpAnswer>> {
  try {
    return await guest.call('/v1/signup', SignUpAnswer, {
      method: 'POST',
      json: {
        email: `quickstart-${randomBytes(6).toString('hex')}@example.org`,
        name: 'Quickstart',
        plan: 'free',
      } satisfies z.input<typeof SignUpBody>,
    })
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'rate_limited') throw error
    throw new CliError(
      `the service that runs at ${apiUrl} accepts no more sign-ups from this address today. Stop it and run this again, ` +
        `or start it with SVC_LIMITS='{"signups_per_ip_day":1000}'`,
      { code: error.code, details: error.details, cause: error },
    )
  }
}
