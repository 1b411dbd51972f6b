import { signalsOf } from '../../../core/overview/signals.ts'
import { accountFigures } from '../../../db/overview/account/state.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { GetAccountStateAnswer } from '../../../core/overview/wire/account/state.ts'
import { defineRoute } from '../services.ts'

export const getAccountStateRoute = defineRoute({
  method: 'get',
  path: '/v1/account/state',
  operationId: 'getAccountState',
  group: 'accounts',
  summary: 'Show counts, ages and anomalies',
  auth: 'key',
  scope: 'account:read',
  namespace: 'bounded',
  answers: {
    200: envelope('The state of the account now', GetAccountStateAnswer),
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
