import { z } from 'zod'
import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { RECIPE_KINDS } from '../../../rows/task.ts'
import { QUESTION_REASONS } from '../questions.ts'

/**
 * Why a wrong row is odd. `output_unlike_others`: its expected output fails checks that the rows answered right give.
 * `input_unlike_others`: its input does. `no_kind_right`: no kind of recipe answers it, of two or more.
 */
export const ODD_REASONS = ['output_unlike_others', 'input_unlike_others', 'no_kind_right'] as const
export type OddReason = (typeof ODD_REASONS)[number]

const Labels = z.array(z.object({ id: z.string(), reason: z.enum(QUESTION_REASONS) }).meta({ id: 'RowToLabel' }))
const OddRows = z.array(z.object({ id: z.string(), reasons: z.array(z.enum(ODD_REASONS)) }).meta({ id: 'OddRow' }))

/** Suggestions for a gated compile, computed from its rows and results. */
export const HelpView = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('label_rows'), rows: Labels }),
    z.object({ kind: z.literal('contradictory_rows'), inputs: z.int(), rows_removed: z.int() }),
    z.object({ kind: z.literal('odd_rows'), rows: OddRows }),
    z.object({ kind: z.literal('lower_floor'), k_score_floor: z.number(), k_score: z.number() }),
    z.object({
      kind: z.literal('other_kind'),
      recipe_kind: z.enum(RECIPE_KINDS),
      k_score: z.number().nullable().meta({ description: 'Null for an adapter, which was not fitted' }),
      reaches_floor: z.boolean().nullable(),
    }),
  ])
  .meta({
    id: 'Help',
    example: { kind: 'odd_rows', rows: [{ id: 'row_4', reasons: ['output_unlike_others'] }] },
    description:
      '`label_rows`: unlabelled inputs whose outputs would help most (`GET …/rows?side=to_label` shows them). `contradictory_rows`: inputs with several outputs, of which the majority was kept. `odd_rows`: wrong rows that are unlike the others. `lower_floor`: the highest floor, in hundredths, that the best candidate reaches. `other_kind`: a kind that was not allowed and does better, or an adapter where `base_model` is `none`',
  })
export type HelpView = z.infer<typeof HelpView>

const Stored = z.object({
  what_would_help: z.object({ to_label: Labels, odd: OddRows }).optional(),
  k_score: z.number(),
  k_score_floor: z.number(),
  recipe_kind: z.string().nullable(),
  kinds: z.array(z.object({ kind: z.enum(RECIPE_KINDS), score: z.object({ composite: z.json() }) })).optional(),
  selection: z.object({ contradictory_inputs: z.int(), contradictory_rows_removed: z.int() }).optional(),
  adapter: z.object({ code: z.string().nullable() }).nullable().optional(),
})

/** Returns what would help a gated job, the most useful first; undefined for an evaluation of another form. */
export function helpOf(evaluation: Json | undefined): HelpView[] | undefined {
  const { data } = Stored.safeParse(isJsonObject(evaluation) ? evaluation : undefined)
  if (data === undefined) return undefined
  const { what_would_help: rows, selection, k_score: kScore, k_score_floor: floor, recipe_kind: chosen } = data
  const help: HelpView[] = []
  if (rows !== undefined && rows.to_label.length > 0) help.push({ kind: 'label_rows', rows: rows.to_label })
  if (selection !== undefined && selection.contradictory_inputs > 0) {
    const { contradictory_inputs: inputs, contradictory_rows_removed: removed } = selection
    help.push({ kind: 'contradictory_rows', inputs, rows_removed: removed })
  }
  if (rows !== undefined && rows.odd.length > 0) help.push({ kind: 'odd_rows', rows: rows.odd })
  const reached = Math.floor(kScore * 100) / 100
  if (chosen !== null && reached > 0) help.push({ kind: 'lower_floor', k_score_floor: reached, k_score: kScore })
  for (const { kind, score } of data.kinds ?? []) {
    const other = compositeOf(score.composite)
    if (kind === chosen || other === null || other <= kScore) continue
    help.push({ kind: 'other_kind', recipe_kind: kind, k_score: other, reaches_floor: other >= floor })
  }
  if (data.adapter?.code === 'no_base_model') {
    help.push({ kind: 'other_kind', recipe_kind: 'lora', k_score: null, reaches_floor: null })
  }
  return help
}

/** The K-score of a kind: a figure, or a number in evaluations of earlier versions. */
function compositeOf(composite: Json): number | null {
  if (typeof composite === 'number') return composite
  return isJsonObject(composite) && typeof composite['value'] === 'number' ? composite['value'] : null
}
