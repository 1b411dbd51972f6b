import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import { generateCases } from '../../../core/learn/evals/adversarial/generate.ts'
import { CATEGORY_OF, EXPECTATIONS } from '../../../core/learn/evals/adversarial/perturb.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { ADVERSARIAL_BOUNDS, AdversarialAnswer, AdversarialBody } from '../../../core/learn/wire/adversarial.ts'
import { ARCHIVE_ERRORS } from '../../compile/submit/archive.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { scoreCases } from './score-cases.ts'
import { findWeakClusters } from './weak-clusters.ts'

const PER_CLUSTER = 5
const LEAST = 10

export const generateAdversarialRoute = defineRoute({
  method: 'post',
  path: '/v1/eval/adversarial/generate',
  operationId: 'generateAdversarial',
  group: 'eval',
  summary: 'Make adversarial cases from weak rows',
  description:
    'Changes rows of failure modes, or captures of a namespace, in ways whose right answer follows from the row: it stays the same, it changes along with a word or a number that it copies, or there must be none. With an artifact the cases are answered and scored. The same rows give the same cases; nothing is stored or charged.',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  stores: 'bounded',
  limit: { name: 'adversarial', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' },
  body: AdversarialBody,
  answers: { 200: envelope('The cases', AdversarialAnswer) },
  errors: [
    ...ARCHIVE_ERRORS,
    'not_found',
    'weak_clusters_required',
    'no_row_results',
    'busy',
    'forbidden',
    'invalid_archive',
    'payload_too_large',
    'base_mismatch',
    'base_not_installed',
    'base_does_not_fit',
    'model_busy',
    'request_timeout',
  ],
})
  .authorize(async ({ op, principal, body }) => {
    if (body.artifact_id === undefined) await requireAccess({ op, principal }, 'capture:read')
  })
  .handle(async ({ op, principal, services, body, hangUp }) => {
    const { namespace, artifact_id: artifactId } = body
    const { clusters, facts, considered } = await findWeakClusters(op, services, body)
    if (considered === 0) {
      throw LEARN_ERRORS.weak_clusters_required(
        `weak_clusters: is required, since ${namespace} has no captures to make cases of`,
      )
    }
    const most = body.n ?? Math.min(ADVERSARIAL_BOUNDS.n, Math.max(PER_CLUSTER * considered, LEAST))
    const { cases, available } = generateCases(clusters, facts, most)
    const scores =
      artifactId === undefined ? null : await scoreCases(services, principal, { artifactId, cases, signal: hangUp() })
    return {
      status: 200,
      body: {
        version: 'svc-adversarial-1',
        namespace,
        artifact_id: artifactId ?? null,
        n_questions: cases.length,
        clusters_covered: new Set(cases.map(({ clusterId }) => clusterId)).size,
        clusters_considered: considered,
        truncated: available > cases.length,
        limits: { ...ADVERSARIAL_BOUNDS },
        rows: cases.map((one, i) => ({
          id: `adv_${namespace}_${String(i + 1).padStart(4, '0')}`,
          cluster_id: one.clusterId,
          cluster_label: one.clusterLabel,
          template: one.template,
          category: CATEGORY_OF[one.template],
          question: one.input,
          expectation: one.expectation,
          reference_answer: one.reference,
          source_id: one.seed.id,
          source_input: one.seed.input,
          score: scores?.[i] ?? null,
        })),
        summary:
          scores === null
            ? null
            : EXPECTATIONS.map((expectation) => {
                const of = scores.filter((_, i) => cases[i]?.expectation === expectation)
                const held = of.filter((score) => score.holds).length
                return { expectation, n: of.length, held, interval: wilsonInterval(held, of.length) }
              }).filter(({ n }) => n > 0),
      },
    }
  })
