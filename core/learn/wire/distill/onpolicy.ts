import { z } from 'zod'
import { KScoreFloor } from '../../../compile/wire/jobs/spec.ts'
import { CaptureNamespace } from '../../../gateway/wire/captures/fields.ts'
import { GivenDatasetId } from '../../../kernel/wire/ids.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { WorkspacePath } from '../../../kernel/wire/paths.ts'
import type { Limits } from '../../limits.ts'
import { RunAccepted } from './captures.ts'

const MODEL = 'the name of a base that is installed, or the id of an adapter artifact (`cmp_…`)'
const Share = z.number().min(0).max(1)

/** JSON body of `POST /v1/distill/onpolicy`. */
export function onPolicyBody(limits: Limits) {
  return z
    .object({
      pairs_path: WorkspacePath.optional().meta({
        description: `Absolute path of a file in your workspace on the server: JSONL, JSON, CSV or Parquet with \`prompt\` and \`completion\`, at most ${limits.onpolicy_rows} rows`,
      }),
      dataset_id: GivenDatasetId.optional().meta({
        description: 'A dataset of prompts and completions, in place of a file',
      }),
      dataset_version: z.int().min(1).optional().meta({ description: 'The newest version when absent' }),
      namespace: CaptureNamespace.default('default'),
      student_path: textUpTo(200)
        .default('nano')
        .meta({ description: `The student: ${MODEL}`, example: 'nano' }),
      teacher: textUpTo(200)
        .optional()
        .meta({
          description: `The teacher, which needs the vocabulary of the student: ${MODEL}. A model of a provider gives no logits`,
        }),
      max_steps: z.int().min(1).max(limits.onpolicy_steps).default(100).meta({ description: 'Steps of the optimizer' }),
      beta: Share.default(0.5).meta({
        description: 'Of the generalized Jensen-Shannon divergence: 0 is the forward divergence, 1 the reverse one',
      }),
      lmbda: Share.default(0.5).meta({ description: 'Probability that the student answers a step itself' }),
      temperature: z.number().positive().max(100).default(1).meta({ description: 'Of the answers of the student' }),
      max_new_tokens: z.int().min(1).max(4096).default(256).meta({ description: 'Tokens of such an answer' }),
      warmup_frac: Share.optional().meta({
        description:
          'Share of the steps that come first and are supervised; 0.5 for a base and 0 for an artifact when absent',
      }),
      seed: z.int().min(0).max(4_294_967_295).default(42),
      name: textUpTo(128).optional().meta({ description: 'A name for people' }),
      k_score_floor: KScoreFloor.default(0.85).meta({
        description: 'The K-score on held-out rows below which no artifact is signed',
      }),
    })
    .meta({ id: 'DistillOnPolicy', override: { not: { required: ['pairs_path', 'dataset_id'] } } })
}

/** The answer of `POST /v1/distill/onpolicy`. */
export const OnPolicyAnswer = RunAccepted.extend({
  kind: z.literal('onpolicy'),
  student: z.string(),
  teacher: z.string(),
  warmup_frac: z.number(),
  pairs: z.int().nullable().meta({
    description: 'Rows that were checked; null for a dataset, whose rows were checked before',
  }),
}).meta({ id: 'DistillOnPolicyAccepted' })
