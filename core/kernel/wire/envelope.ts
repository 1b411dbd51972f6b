import { z } from 'zod'

/** Fields that the kernel adds to an enveloped answer. */
export const ENVELOPE_FIELDS = {
  ok: z.literal(true),
  request_id: z.string().meta({ description: 'Id of the call, also in the header X-Request-Id' }),
}
