import { z } from 'zod'
import { CaptureNamespace } from '../../gateway/wire/captures/fields.ts'
import { GivenArtifactId } from '../../kernel/wire/ids.ts'
import { JsonValue } from '../../kernel/wire/values.ts'
import { EXPECTATIONS, TEMPLATES } from '../evals/adversarial/perturb.ts'

/** Most cases of one call, and clusters that it names. */
export const ADVERSARIAL_BOUNDS = { n: 1000, weak_clusters: 200 } as const

const ClusterName = z.string().min(1).max(240)

/** Body of `POST /v1/eval/adversarial/generate`. */
export const AdversarialBody = z
  .object({
    namespace: CaptureNamespace.default('default'),
    artifact_id: GivenArtifactId.optional().meta({
      description: 'Rows of its failure modes are changed, and it answers the cases',
    }),
    weak_clusters: z
      .array(z.union([ClusterName, z.object({ cluster_id: ClusterName, label: ClusterName.optional() })]))
      .min(1)
      .max(ADVERSARIAL_BOUNDS.weak_clusters)
      .optional()
      .meta({
        description:
          'Ids of failure modes of the artifact; without one, templates of captures or texts that their prompts hold. All when absent',
      }),
    n: z.int().min(1).max(ADVERSARIAL_BOUNDS.n).optional().meta({
      description: 'Most cases; five for each cluster when absent, at least ten',
    }),
  })
  .meta({ id: 'AdversarialRequest', example: { namespace: 'support', n: 5 } })

const Score = z
  .object({
    got: JsonValue.nullable(),
    abstained: z.boolean(),
    holds: z.boolean().meta({
      description:
        '`same`: it answers as it answers the row; `changed`: it answers the reference; `must_abstain`: it gives no answer',
    }),
  })
  .meta({ id: 'AdversarialScore' })

/** Answer of `POST /v1/eval/adversarial/generate`. */
export const AdversarialAnswer = z
  .object({
    version: z.literal('svc-adversarial-1'),
    namespace: z.string(),
    artifact_id: z.string().nullable(),
    n_questions: z.int(),
    clusters_covered: z.int(),
    clusters_considered: z.int(),
    truncated: z.boolean().meta({ description: 'More cases could be made of these rows' }),
    limits: z.object({ n: z.int(), weak_clusters: z.int() }),
    rows: z.array(
      z
        .object({
          id: z.string(),
          cluster_id: z.string(),
          cluster_label: z.string(),
          template: z.enum(TEMPLATES),
          category: z.string(),
          question: JsonValue,
          expectation: z.enum(EXPECTATIONS),
          reference_answer: JsonValue.nullable(),
          source_id: z.string().meta({ description: 'Id of the row or capture that was changed' }),
          source_input: JsonValue,
          score: Score.nullable().meta({ description: 'Null without an artifact' }),
        })
        .meta({ id: 'AdversarialRow' }),
    ),
    summary: z
      .array(
        z
          .object({
            expectation: z.enum(EXPECTATIONS),
            n: z.int(),
            held: z.int(),
            interval: z.object({ low: z.number(), high: z.number() }).meta({ description: '95 % Wilson interval' }),
          })
          .meta({ id: 'AdversarialSummary' }),
      )
      .nullable()
      .meta({ description: 'Null without an artifact' }),
  })
  .meta({ id: 'AdversarialCases' })
