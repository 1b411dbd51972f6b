import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'

/** Answer of `GET /v1/whoami`. */
export const WhoAmIAnswer = z.object({
  tenant_id: z.string(),
  plan: Plan,
  kind: z.enum(['primary', 'scoped', 'anonymous', 'member', 'scim']).meta({
    description: 'Kind of the key, or of the key that opened the session; `member` for a session that no key opened',
  }),
  key_id: z.string().nullable(),
  member_id: z.string().nullable(),
  team_id: z.string().nullable(),
  session_id: z.string().nullable(),
  scopes: z.array(z.string()),
})
