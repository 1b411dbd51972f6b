import { expect } from 'chai'
import { helpOf } from '../../../../core/compile/wire/jobs/explain/help.ts'

const TO_LABEL = [{ id: 'unlabelled_1', reason: 'new_shape' }]
const ODD = [{ id: 'row_4', reasons: ['output_unlike_others', 'no_kind_right'] }]
const NOTHING = { k_score: 0, k_score_floor: 0.9, recipe_kind: null }
const CHOSEN = { k_score: 0.826, k_score_floor: 0.9, recipe_kind: 'program' }
const LABELS = { kind: 'label_rows', rows: TO_LABEL }
const CONTRADICTIONS = { kind: 'contradictory_rows', inputs: 2, rows_removed: 3 }
const ODD_ROWS = { kind: 'odd_rows', rows: ODD }
const LOWER = { kind: 'lower_floor', k_score_floor: 0.82, k_score: 0.826 }
const kind = (name: string, composite: unknown) => ({ kind: name, score: { composite } })
const other = (name: string, kScore: number | null, reaches: boolean | null) => ({
  kind: 'other_kind',
  recipe_kind: name,
  k_score: kScore,
  reaches_floor: reaches,
})

/** Evaluations of gated jobs, with the help that they give, in its order. */
const CASES: Readonly<Record<string, readonly [evaluation: object, help: readonly object[] | undefined]>> = {
  'nothing without a candidate and without rows': [NOTHING, []],
  'inputs to label': [{ ...NOTHING, what_would_help: { to_label: TO_LABEL, odd: [] } }, [LABELS]],
  'contradictory rows': [
    { ...NOTHING, selection: { contradictory_inputs: 2, contradictory_rows_removed: 3 } },
    [CONTRADICTIONS],
  ],
  'odd rows': [{ ...NOTHING, what_would_help: { to_label: [], odd: ODD } }, [ODD_ROWS]],
  'the highest floor, in hundredths, that the candidate reaches': [CHOSEN, [LOWER]],
  'no floor of zero': [{ ...CHOSEN, k_score: 0.004 }, []],
  'a kind that is better, and whether it reaches the floor': [
    {
      ...CHOSEN,
      kinds: [
        kind('program', { value: 0.826 }),
        kind('classifier', { value: 0.95 }),
        kind('tabular', 0.88),
        kind('composite', { value: 0.5 }),
      ],
    },
    [LOWER, other('classifier', 0.95, true), other('tabular', 0.88, false)],
  ],
  'an adapter where no base model was named': [
    { ...NOTHING, adapter: { code: 'no_base_model' } },
    [other('lora', null, null)],
  ],
  'no adapter that was skipped for another reason': [{ ...NOTHING, adapter: { code: 'not_needed' } }, []],
  'all of them, in the order of their use': [
    {
      ...CHOSEN,
      adapter: { code: 'no_base_model' },
      kinds: [kind('classifier', { value: 0.95 })],
      selection: { contradictory_inputs: 2, contradictory_rows_removed: 3 },
      what_would_help: { to_label: TO_LABEL, odd: ODD },
    },
    [LABELS, CONTRADICTIONS, ODD_ROWS, LOWER, other('classifier', 0.95, true), other('lora', null, null)],
  ],
  'nothing for an evaluation of another form': [{ k: 1 }, undefined],
}

describe('what would help a gated compile', () => {
  for (const [what, [evaluation, help]] of Object.entries(CASES)) {
    it(`names ${what}`, () => {
      expect(helpOf(JSON.parse(JSON.stringify(evaluation)))).to.deep.equal(help)
    })
  }
})
