import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'

const Signal = z
  .object({
    kind: z.enum([
      'compile_first',
      'compile_stale',
      'route_first',
      'seed_training',
      'namespace_almost_ready',
      'namespace_ready',
      'rotate_key',
    ]),
    severity: z.enum(['compile', 'route', 'routine', 'rotate']).meta({ description: 'The recommended reaction' }),
    value: z.number(),
    namespace: z.string().optional(),
  })
  .meta({ id: 'AccountSignal' })

/** Answer of `GET /v1/account/state`. */
export const GetAccountStateAnswer = z.object({
  tenant_id: z.string(),
  plan: Plan,
  counts: z.object({ artifacts: z.int(), captures: z.int(), namespaces: z.int() }),
  namespaces: z.record(z.string(), z.int()).meta({ description: 'Captured events, by namespace' }),
  last_artifact_age_days: z.int().nullable(),
  key_age_days: z.int().nullable().meta({ description: 'Days since the primary key was last rotated' }),
  signals: z.array(Signal),
  generated_at: z.iso.datetime(),
})
