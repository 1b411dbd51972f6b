import { z } from 'zod'
import { KScoreFloor } from '../../../compile/wire/jobs/spec.ts'
import { CaptureNamespace } from '../../../gateway/wire/captures/fields.ts'
import { GivenDatasetId } from '../../../kernel/wire/ids.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { WorkspacePath } from '../../../kernel/wire/paths.ts'
import { PREFERENCE_OBJECTIVES } from '../../distill/request.ts'
import { RunAccepted } from './captures.ts'

const Positive = z.number().positive().max(1000)

/** JSON body of `POST /v1/distill/preference`. */
export const PreferenceBody = z
  .object({
    pairs_path: WorkspacePath.optional().meta({
      description:
        'Absolute path of a file in your workspace on the server: JSONL, JSON, CSV or Parquet with `prompt`, `chosen` and `rejected`, or for `kto` also `prompt`, `completion` and `label`',
    }),
    dataset_id: GivenDatasetId.optional().meta({
      description: 'A dataset of type `preference` or `unpaired`, in place of a file',
    }),
    dataset_version: z.int().min(1).optional().meta({ description: 'The newest version when absent' }),
    source: z.enum(['review']).optional().meta({
      description:
        '`review`: captures whose answer a reviewer corrected, in place of a file. The correction is chosen, what was answered is rejected',
    }),
    namespace: CaptureNamespace.default('default'),
    student_path: textUpTo(200).default('nano').meta({
      description: 'The student: the name of a base that is installed',
      example: 'nano',
    }),
    objective: z.enum(PREFERENCE_OBJECTIVES).default('dpo'),
    beta: Positive.optional().meta({
      description: 'When absent that of the objective: 0.1 of `dpo` and `kto`, 2 of `simpo`, 0.1 as lambda of `orpo`',
    }),
    gamma_beta_ratio: z.number().min(0).max(100).optional().meta({ description: 'Of `simpo`; 0.5 when absent' }),
    epochs: z.int().min(1).max(100).optional(),
    learning_rate: z.number().positive().max(1).optional(),
    seed: z.int().min(0).max(4_294_967_295).optional(),
    name: textUpTo(128).optional().meta({ description: 'A name for people' }),
    k_score_floor: KScoreFloor.default(0.85).meta({
      description: 'The K-score on the chosen answers of held-out pairs below which no artifact is signed',
    }),
  })
  .meta({
    id: 'DistillPreference',
    override: {
      not: {
        anyOf: [
          { required: ['pairs_path', 'dataset_id'] },
          { required: ['pairs_path', 'source'] },
          { required: ['dataset_id', 'source'] },
        ],
      },
    },
  })

/** The answer of `POST /v1/distill/preference`. */
export const PreferenceAnswer = RunAccepted.extend({
  kind: z.literal('preference'),
  objective: z.enum(PREFERENCE_OBJECTIVES),
  beta: z.number().meta({ description: 'Of `orpo` its lambda' }),
  pairs: z
    .int()
    .nullable()
    .meta({ description: 'Rows that were checked; null for a dataset, whose rows were checked before' }),
}).meta({ id: 'DistillPreferenceAccepted' })
