import { SpecialistCandidatesAnswer } from '../../../core/learn/wire/bridges.ts'
import { listCandidates } from '../../../db/learn/recipes/list-candidates.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

/** A recipe is listed from this share of the calls on that make it ready. */
const LISTED_SHARE = 0.1

export const listSpecialistCandidatesRoute = defineRoute({
  method: 'get',
  path: '/v1/bridges/specialist-candidates',
  operationId: 'listSpecialistCandidates',
  group: 'bridges',
  summary: 'List recipes that are called often enough for a specialist',
  description: (limits) =>
    `Recipes with a tenth of ${limits.specialist_calls} calls or more, most called first; \`ready\` from ${limits.specialist_calls} on. The counts are those of \`GET /v1/concepts/{id}/stats\`, over all versions. Adapters, which are specialists already, are left out.`,
  auth: 'key',
  scope: 'concepts:read',
  namespace: 'bounded',
  answers: { 200: envelope('The recipes', SpecialistCandidatesAnswer) },
}).handle(async ({ op, services }) => {
  const { specialist_calls: threshold } = services.limits
  const candidates = await listCandidates(op, Math.ceil(threshold * LISTED_SHARE))
  return {
    status: 200,
    body: {
      candidates: candidates.map(({ id, name, kind, invocations, lastAt }) => ({
        recipe_id: id,
        name,
        recipe_kind: kind,
        invocations,
        threshold,
        ready: invocations >= threshold,
        last_invoked_at: lastAt.toISOString(),
      })),
      threshold,
      total: candidates.length,
    },
  }
})
