import { z } from 'zod'
import { signalsOf } from '../../../core/overview/signals.ts'
import { accountFigures } from '../../../db/overview/account/state.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { Plan } from '../../kernel/schemas/tenant.ts'

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
    severity: z.enum(['compile', 'route', 'routine', 'rotate']).meta({ description: 'What it calls for' }),
    value: z.number(),
    namespace: z.string().optional(),
  })
  .meta({ id: 'AccountSignal' })

export const getAccountStateRoute = defineRoute({
  method: 'get',
  path: '/v1/account/state',
  operationId: 'getAccountState',
  group: 'accounts',
  summary: 'Counts, ages, and what stands out',
  auth: 'key',
  scope: 'account:read',
  namespace: 'bounded',
  answers: {
    200: envelope(
      'The state of the account now',
      z.object({
        tenant_id: z.string(),
        plan: Plan,
        counts: z.object({ artifacts: z.int(), captures: z.int(), namespaces: z.int() }),
        namespaces: z.record(z.string(), z.int()).meta({ description: 'Captured events by namespace' }),
        last_artifact_age_days: z.int().nullable(),
        key_age_days: z.int().nullable().meta({ description: 'Age of the primary key since it was rotated last' }),
        signals: z.array(Signal),
        generated_at: z.iso.datetime(),
      }),
    ),
  },
}).handle(async ({ op, principal }) => {
  const figures = await accountFigures(op)
  return {
    status: 200,
    body: {
      tenant_id: op.tenantId,
      plan: principal.plan,
      counts: {
        artifacts: figures.artifacts,
        captures: figures.captures,
        namespaces: Object.keys(figures.namespaces).length,
      },
      namespaces: { ...figures.namespaces },
      last_artifact_age_days: figures.lastArtifactAgeDays,
      key_age_days: figures.keyAgeDays,
      signals: signalsOf(figures).map((signal) => ({ ...signal })),
      generated_at: op.now().toISOString(),
    },
  }
})
