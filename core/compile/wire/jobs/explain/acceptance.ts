import { z } from 'zod'
import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { JobId } from '../../../../kernel/wire/ids.ts'

/** State of an acceptance: `pending` until the archive is signed. */
export const ACCEPTANCE_STATES = ['pending', 'signed', 'failed'] as const

const EXAMPLE = {
  by: 'key:key_0yf6dazr4jff14m8ne0jh7aa8g',
  at: '2026-01-02T03:04:05.678Z',
  k_score: 0.727,
  k_score_floor: 0.85,
}

/** The acceptance of a gated job below its floor. */
export const AcceptanceView = z
  .object({
    state: z.enum(ACCEPTANCE_STATES),
    by: z.string().meta({ description: 'Kind and id of the credential that accepted' }),
    at: z.iso.datetime(),
    k_score: z.number(),
    k_score_floor: z.number().meta({ description: 'The floor that the K-score is below' }),
    error_code: z.string().optional().meta({ description: 'Of a failed acceptance: nothing was signed or charged' }),
  })
  .meta({ id: 'CompileAcceptance', example: { state: 'signed', ...EXAMPLE } })

/** The acceptance that an artifact states. */
export const AcceptedView = AcceptanceView.omit({ state: true, error_code: true }).meta({
  id: 'Accepted',
  example: EXAMPLE,
})

/** Returns the acceptance in a stored evaluation; undefined for an artifact that reaches its floor. */
export function acceptedOf(evaluation: Json | undefined): z.infer<typeof AcceptedView> | undefined {
  return isJsonObject(evaluation) ? AcceptedView.safeParse(evaluation['accepted']).data : undefined
}

/** An acceptance whose archive is being signed, and where to ask for it. */
export const AcceptanceUnderWay = z
  .object({
    job_id: JobId,
    status: z.literal('gated'),
    poll: z.string().meta({ description: 'Path of the status document' }),
    stream_url: z.string().meta({ description: 'Path of the progress stream' }),
  })
  .meta({ id: 'AcceptanceUnderWay' })
