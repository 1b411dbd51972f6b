import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'

/** Body of `POST /v1/signin` and `POST /v1/session/login`. */
export const SignInBody = z.object({
  api_key: z.string().min(1).max(200),
})

/** Answer of `POST /v1/signin` and `POST /v1/session/login`. */
export const SignInAnswer = z.object({ tenant: z.object({ id: z.string(), name: z.string(), plan: Plan }) })

/** Answer of `POST /v1/session/logout`. */
export const CloseSessionAnswer = z.object({})
