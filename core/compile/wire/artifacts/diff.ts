import { z } from 'zod'
import { ArtifactId, VersionId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { AXES, CHANGES, RECOMMENDATIONS, type Axis } from '../../artifacts/diff/axes.ts'
import { LIFE_STATES } from '../../artifacts/life/states.ts'
import { RecipeLines } from '../facts/recipe-lines.ts'
import { ROW_RESULTS } from '../jobs/explain/rows.ts'
import { CidField } from './diagnosis.ts'

/** Relations of `b` to `a`. */
export const RELATIONS = ['same', 'descendant', 'ancestor', 'sibling', 'unrelated'] as const

/** Body of `POST /v1/artifact/diff`. */
export const DiffBody = z
  .object({
    a_cid: CidField.meta({ description: 'CID of the artifact to compare with, such as the version in force' }),
    b_cid: CidField.meta({ description: 'CID of the artifact that is judged, such as the newer version' }),
  })
  .meta({
    id: 'DiffRequest',
    example: { a_cid: `cidv1:sha256:${'0'.repeat(64)}`, b_cid: `cidv1:sha256:${'1'.repeat(64)}` },
  })

const DiffSide = z
  .object({
    cid: z.string(),
    parent_cid: z.string().nullable(),
    artifact_id: ArtifactId,
    version_id: VersionId,
    name: z.string(),
    state: z.enum(LIFE_STATES),
    recipe_kind: z.string(),
    k_score: z.number(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'DiffSide' })

const axisNames: readonly string[] = Object.keys(AXES)
const AxisName = z
  .custom<Axis>((name) => typeof name === 'string' && axisNames.includes(name))
  .meta({
    override: { type: 'string', enum: [...axisNames] },
  })

const DiffAxis = z
  .object({
    axis: AxisName,
    direction: z.enum(['higher', 'lower']).meta({ description: 'Which values are better' }),
    a: z.number().nullable(),
    b: z.number().nullable(),
    delta: z.number().nullable().meta({ description: '`b` less `a`' }),
    change: z.enum(CHANGES).meta({
      description:
        '`undecided`: they differ by no more than chance explains; `better` and `worse` follow the direction',
    }),
    p_value: z
      .number()
      .nullable()
      .meta({ description: "Of McNemar's exact test; null for an axis with one value for each artifact" }),
    n: z.int().nullable().meta({ description: 'Shared rows of the test' }),
  })
  .meta({ id: 'DiffAxis' })

const Paired = z
  .object({
    test: z.literal('mcnemar_exact'),
    alpha: z.number(),
    rows: z.int().meta({ description: 'Rows that both were scored on, by the digest of input and expected output' }),
    rows_a: z.int(),
    rows_b: z.int(),
    both_right: z.int(),
    both_wrong: z.int(),
    lost: z.int().meta({ description: '`a` is right, `b` is not' }),
    won: z.int().meta({ description: '`b` is right, `a` is not' }),
    p_value: z.number().meta({ description: 'Two-sided' }),
  })
  .meta({ id: 'DiffPairedRows' })

const HeldOutAnswer = z.object({
  row_id: z.string(),
  result: z.enum(ROW_RESULTS),
  confidence: z.number().nullable(),
  got: JsonValue.optional().meta({ description: 'Absent where only digests are kept' }),
})

const FlippedRow = z
  .object({
    flip: z.enum(['lost', 'won']),
    input: JsonValue.optional(),
    expected: JsonValue.optional(),
    a: HeldOutAnswer,
    b: HeldOutAnswer,
  })
  .meta({ id: 'DiffFlippedRow' })

const RunAnswer = z.object({
  output: JsonValue,
  abstained: z.boolean(),
  confidence: z.number().nullable(),
  error: z.string().nullable().meta({ description: 'Machine code of why there is no answer' }),
  right: z.boolean().nullable().meta({ description: 'Null where the evaluations expect different outputs' }),
})

const DifferingRow = z
  .object({
    row_a: z.string().nullable().meta({ description: 'Id of the row in the evaluation of `a`' }),
    row_b: z.string().nullable(),
    input: JsonValue,
    expected: JsonValue.optional(),
    a: RunAnswer,
    b: RunAnswer,
  })
  .meta({ id: 'DiffDifferingRow' })

const RecipeSide = z.object({ kind: z.string(), lines: RecipeLines })
const sideBySide = <T extends z.ZodType>(value: T) =>
  z.object({ name: z.string(), a: value.nullable(), b: value.nullable(), same: z.boolean() })

const Recipes = z
  .object({
    same: z.boolean().meta({ description: 'True when recipe and weights are the same bytes' }),
    a: RecipeSide,
    b: RecipeSide,
    programs: z
      .array(sideBySide(z.string()))
      .meta({ description: 'As printed, by the place of the answer that they give' }),
    labels: z.array(
      z.object({ place: z.string(), only_a: z.array(JsonValue), only_b: z.array(JsonValue), shared: z.int() }),
    ),
    hyperparameters: z.array(sideBySide(JsonValue)),
  })
  .meta({ id: 'DiffRecipes' })

/** Answer of `POST /v1/artifact/diff`. */
export const DiffAnswer = z.object({
  a: DiffSide,
  b: DiffSide,
  lineage_relation: z.enum(RELATIONS).meta({ description: 'What `b` is to `a`' }),
  members: z
    .array(z.object({ name: z.string(), a: z.string().nullable(), b: z.string().nullable(), same: z.boolean() }))
    .meta({ description: 'Content members by their digests' }),
  recipes: Recipes.nullable().meta({ description: 'Null where an archive may not be read: `runs.why` says why' }),
  performance: z.object({
    ok: z.boolean().meta({ description: 'False when there is no shared row' }),
    axes: z.array(DiffAxis),
    deltas: z.record(z.string(), z.number()),
    axes_compared: z.array(z.string()),
    paired: Paired,
    regression_summary: z.array(z.string()).meta({ description: 'Axes that are worse' }),
    recommendation: z.enum(RECOMMENDATIONS),
  }),
  recommendation: z.enum(RECOMMENDATIONS).meta({
    description: 'By the rows that both were scored on: `inconclusive` unless they differ by more than chance explains',
  }),
  reason: z.string(),
  roll_back_hint: z.string().nullable(),
  flipped: z.array(FlippedRow).meta({ description: 'Scored rows that only one is right on, lost ones first' }),
  runs: z.object({
    why: z
      .string()
      .nullable()
      .meta({ description: 'Machine code of why the artifacts were not run; null when they were' }),
    inputs: z.int().meta({ description: 'Stored inputs of both evaluations' }),
    ran: z.int().meta({ description: 'Inputs that both were run on' }),
    differing: z.int(),
    rows: z.array(DifferingRow).meta({ description: 'Inputs that they answer differently, lost ones first' }),
  }),
})
/** Answer of `POST /v1/artifact/diff`. */
export type DiffAnswer = z.input<typeof DiffAnswer>
