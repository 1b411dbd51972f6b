import { z } from 'zod'
import { answerOf, transcriptOf } from '../../../../core/gateway/captures/recording/audio-texts.ts'
import { intentOf, jaccard, type Intent } from '../../../../core/gateway/protocol/audio/bake-off.ts'
import { CaptureNamespace } from '../../../../core/gateway/wire/captures/fields.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { DEFAULT_NAMESPACE } from '../../../../db/billing/usage/charged-to.ts'
import { listAudio } from '../../../../db/gateway/captures/recording/list-audio.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { requireAccess } from '../../captures/access.ts'
import { defineRoute } from '../../services.ts'
import { textsOf } from './captures.ts'

const Failures = z
  .object({
    no_transcript: z.int(),
    no_answer: z.int(),
    abstained: z.int(),
    artifact_failed: z.int(),
    no_words: z.int().meta({ description: 'One of the two answers has no word' }),
  })
  .meta({ id: 'BakeOffFailures', description: 'Rows without a score, by reason' })
const Intents = z
  .object({
    question: z.int(),
    command: z.int(),
    conversation: z.int(),
    dictation: z.int(),
    other: z.int(),
  })
  .meta({ id: 'BakeOffIntents', description: 'Compared rows by the kind of what was said, a heuristic' })
type Failure = keyof z.infer<typeof Failures>

export const bakeOffAudioRoute = defineRoute({
  method: 'post',
  path: '/v1/audio/bakeoff',
  operationId: 'bakeOffAudio',
  group: 'audio',
  summary: 'Compare an artifact with the stored answers to what was said',
  description:
    'Runs an artifact on the transcripts of captures with sound and compares its answers with the stored ones by the share of common words. A row that lacks a transcript or an answer is a failure and has no score; so is one on which the artifact abstains. Each run costs as much as a call of a model. Without `artifact_id` that of the namespace is taken; without either nothing is compared, and `message` says so.',
  auth: 'key',
  scope: 'capture:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: z
    .object({
      namespace: CaptureNamespace.default(DEFAULT_NAMESPACE),
      artifact_id: z.string().min(1).max(64).optional(),
      max_n: z.int().min(1).max(500).default(50),
      confirm: z.literal(true, { error: 'must be true: the runs are charged' }),
    })
    .meta({ id: 'BakeOffRequest', example: { namespace: 'support', max_n: 50, confirm: true } }),
  answers: {
    200: envelope(
      'The comparison',
      z.object({
        artifact_id: z.string().nullable(),
        count_total: z.int().meta({ description: 'Captures with sound that were looked at' }),
        count_audio_pairs_evaluated: z.int(),
        by_intent_kind: Intents,
        avg_score: z.number().nullable().meta({ description: 'Null when nothing was compared' }),
        judge_kind: z.literal('jaccard'),
        transcript_coverage_pct: z.number().nullable(),
        max_n: z.int(),
        row_failures: z.int(),
        failures: Failures,
        message: z.enum(['no_audio_captures', 'no_artifact']).exactOptional(),
        created_at: z.iso.datetime(),
      }),
    ),
  },
  errors: ['forbidden', 'not_found', 'quota_exhausted'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:read', body.namespace)
  })
  .handle(async ({ op, services, principal, hangUp, body }) => {
    const { namespace, max_n: most } = body
    const settings = await services.namespaces.read(op.tenantId, namespace)
    const artifactId = body.artifact_id ?? settings.artifact_id
    const caller = { tenantId: op.tenantId, scopes: principal.scopes }
    if (artifactId !== null) await services.ownArtifacts.require(caller, artifactId)
    const rows = await listAudio(op, { namespace, limit: most })
    const tally = newTally()
    if (artifactId !== null) {
      for (const row of rows) {
        hangUp().throwIfAborted()
        const texts = textsOf(row)
        const [transcript, stored] = [transcriptOf(texts), answerOf(texts)]
        if (transcript !== '') tally.transcripts++
        const lacking = transcript === '' ? 'no_transcript' : stored === '' ? 'no_answer' : null
        if (lacking !== null) {
          tally.failures[lacking]++
          continue
        }
        const charge = await services.meter.take(principal, services.limits.quota_units_per_gateway_call)
        const answered = await services.ownArtifacts
          .run(caller, artifactId, transcript, hangUp)
          .catch((error: unknown) => failed(error, () => charge.refund()))
        const score = answered === null || answered.abstained ? null : jaccard(stored, textOf(answered.output))
        if (score !== null) {
          tally.scores.push(score)
          tally.intents[intentOf(transcript)]++
        } else tally.failures[answered === null ? 'artifact_failed' : answered.abstained ? 'abstained' : 'no_words']++
      }
    }
    const message = rows.length === 0 ? 'no_audio_captures' : artifactId === null ? 'no_artifact' : null
    return {
      status: 200,
      body: {
        artifact_id: artifactId,
        count_total: rows.length,
        count_audio_pairs_evaluated: tally.scores.length,
        by_intent_kind: tally.intents,
        avg_score: mean(tally.scores),
        judge_kind: 'jaccard',
        transcript_coverage_pct:
          rows.length === 0 || artifactId === null ? null : rounded((100 * tally.transcripts) / rows.length),
        max_n: most,
        row_failures: Object.values(tally.failures).reduce((sum, count) => sum + count, 0),
        failures: tally.failures,
        ...(message !== null && { message }),
        created_at: op.now().toISOString(),
      },
    }
  })

function newTally() {
  const failures: Record<Failure, number> = {
    no_transcript: 0,
    no_answer: 0,
    abstained: 0,
    artifact_failed: 0,
    no_words: 0,
  }
  const intents: Record<Intent, number> = { question: 0, command: 0, conversation: 0, dictation: 0, other: 0 }
  return { scores: [] as number[], transcripts: 0, failures, intents }
}

/** An artifact that cannot read one input fails that row; one that cannot be run at all ends the call. */
function failed(error: unknown, refund: () => void): null {
  refund()
  if (error instanceof DomainError && error.code === 'recipe_failed') return null
  throw error
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}

function mean(scores: readonly number[]): number | null {
  if (scores.length === 0) return null
  return rounded(scores.reduce((sum, score) => sum + score, 0) / scores.length)
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
