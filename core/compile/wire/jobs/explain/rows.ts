import { z } from 'zod'
import { LEAF_RESULTS } from '../../../runtime/composite/judge-leaves.ts'
import { RECIPE_KINDS, JOB_STATUSES } from '../../../rows/task.ts'
import { JobId } from '../../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../../kernel/wire/page.ts'
import { JsonValue } from '../../../../kernel/wire/values.ts'
import { ROW_SIDES } from './row-sides.ts'

/** Result of one row. All but `right` count against the gate. */
export const ROW_RESULTS = ['right', 'wrong', 'abstained', 'recipe_failed', 'out_of_budget', 'no_candidate'] as const

/** A check of the verifier that an answer failed. */
const FailedCheck = z.object({
  id: z.string(),
  kind: z.string().meta({ description: 'What is checked: `type`, `one_of`, `range`, `shape`, …', example: 'shape' }),
  path: z.string().meta({ description: 'Place in the output, as an RFC 6901 pointer; empty for the whole output' }),
})

/** Result of one part of a composite's output. */
const PathResult = z.object({
  path: z.string().meta({ description: 'Place in the output, as an RFC 6901 pointer' }),
  part: z.enum(['value', 'present']),
  result: z.enum(LEAF_RESULTS).nullable().meta({ description: 'Null where the expected output has no value there' }),
})

/** One row of a compile with its result. */
export const RowView = z
  .object({
    id: z.string(),
    side: z.enum(ROW_SIDES).meta({
      description:
        '`held_out`: scored by a recipe that did not learn from it. `test`: marked by the caller, used only for scoring. `learned`: learned from and not scored. `to_label`: of a gated job, an unlabelled input whose output would help most',
    }),
    fold: z.int().nullable().meta({ description: 'Number of its fold, from 0; null without folds' }),
    right: z.boolean().nullable().meta({ description: 'Null for a row that was not scored' }),
    result: z.enum(ROW_RESULTS).nullable().meta({
      description: 'Null for a row that was not scored. Every other result than `right` counts against the gate',
    }),
    input: JsonValue.optional().meta({ description: 'Absent where digests are kept' }),
    expected: JsonValue.optional(),
    got: JsonValue.optional().meta({
      description: 'The answer; absent for a row that was not scored, and where no kind had a candidate',
    }),
    digests: z
      .object({
        row: z.string().meta({ description: 'SHA-256 over the RFC 8785 form of `{expected, input}`' }),
        got: z.string().optional().meta({ description: 'SHA-256 over the RFC 8785 form of the answer' }),
      })
      .optional()
      .meta({
        description: 'In place of `input`, `expected` and `got`: with `rows: "digests"`, and beyond 16 MiB of rows',
      }),
    failed_checks: z
      .array(FailedCheck)
      .meta({ description: 'Checks of the verifier that the answer failed; at most 20' }),
    unlike_examples: z.boolean().nullable().meta({
      description: 'Whether the input is unlike those of the other rows; null for a row that was not judged',
    }),
    confidence: z.number().optional().meta({
      description: 'Confidence of the answer, 0 to 1. Absent for programs, which are not probabilistic',
    }),
    paths: z.array(PathResult).optional().meta({ description: 'Of a composite recipe: the result of each part' }),
  })
  .meta({
    id: 'CompileRow',
    example: {
      id: 'row_4',
      side: 'held_out',
      fold: 1,
      right: false,
      result: 'wrong',
      input: 'Ada Lovelace',
      expected: 'A. Lovelace',
      got: 'Ada L.',
      failed_checks: [{ id: 'shape', kind: 'shape', path: '' }],
      unlike_examples: false,
    },
  })
export type RowView = z.infer<typeof RowView>

/** Answer of `GET /v1/compile/{id}/rows`. */
export type RowsAnswer = z.infer<typeof RowsAnswer>
export const RowsAnswer = z.object({
  job_id: JobId,
  status: z.enum(JOB_STATUSES),
  recipe_kind: z.enum(RECIPE_KINDS).nullable().meta({
    description: 'Kind of the recipe that answered; null when no kind had a candidate',
  }),
  rows: z.array(RowView).meta({
    description: 'In the order of the examples. A page may have fewer rows than `limit` before the last page',
  }),
  next_cursor: NextCursor,
})
