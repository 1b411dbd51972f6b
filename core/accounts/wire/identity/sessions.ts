import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'
import { OAUTH_PROVIDER_IDS } from '../../sign-in/oauth/provider.ts'

/** Body of `POST /v1/signin` and `POST /v1/session/login`. */
export const SignInBody = z.object({
  api_key: z.string().min(1).max(200),
})

/** Answer of `POST /v1/signin` and `POST /v1/session/login`. */
export const SignInAnswer = z.object({ tenant: z.object({ id: z.string(), name: z.string(), plan: Plan }) })

/** Answer of `POST /v1/session/logout`. */
export const CloseSessionAnswer = z.object({})

/** States of the session that a browser's cookie names. */
export const SESSION_STATES = ['open', 'ended', 'none'] as const

/** Answer of `GET /v1/session`. */
export const FindSessionAnswer = z.object({
  session: z.enum(SESSION_STATES).meta({ description: 'Of the cookie of the call; `none` without a cookie' }),
  ways: z
    .object({
      mail: z.boolean().meta({ description: 'Whether a link by mail can be asked for' }),
      providers: z.array(z.object({ id: z.enum(OAUTH_PROVIDER_IDS), label: z.string() })),
      sso: z.boolean().meta({ description: 'Whether an organisation signs in through a provider of its own' }),
      sign_up: z.boolean().meta({ description: 'Whether accounts and anonymous workspaces can be opened' }),
    })
    .meta({ id: 'SignInWays', description: 'The ways to sign in that are configured, beside an API key' }),
})
