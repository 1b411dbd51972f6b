import { z } from 'zod'
import { OAUTH_PROVIDER_IDS } from '../../sign-in/oauth/provider.ts'

/** Answer of `GET /v1/oauth/providers`. */
export const ListOAuthProvidersAnswer = z.object({
  providers: z.array(z.object({ id: z.enum(OAUTH_PROVIDER_IDS), label: z.string(), configured: z.boolean() })),
})
