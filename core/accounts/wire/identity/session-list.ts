import { z } from 'zod'
import { idOf } from '../../../kernel/wire/ids.ts'
import { AUTH_METHODS } from '../../auth-methods.ts'

/** The id of a session. */
export const SessionId = idOf('ses', 'Id of a session')

/** Answer of `GET /v1/account/sessions`. */
export const ListSessionsAnswer = z.object({
  sessions: z.array(
    z.object({
      id: SessionId,
      member_id: z.string().nullable(),
      auth_method: z.enum(AUTH_METHODS),
      created_at: z.iso.datetime(),
      last_seen_at: z.iso.datetime(),
      expires_at: z.iso.datetime(),
      ip: z.string().nullable(),
      user_agent: z.string().nullable(),
      is_current: z.boolean().meta({ description: 'The session of this call' }),
    }),
  ),
})

/** Answer of `DELETE /v1/account/sessions/{id}`. */
export const RevokeSessionAnswer = z.object({ id: SessionId })
