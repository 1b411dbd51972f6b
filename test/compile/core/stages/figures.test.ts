import { expect } from 'chai'
import { describeAdapter, skippedAdapter } from '../../../../core/compile/stages/lora/adapter-report.ts'
import { figuresOf } from '../../../../core/compile/wire/jobs/figures.ts'
import { splitRows } from '../../../../core/compile/rows/split/split-rows.ts'
import { undecidedOf } from '../../../../core/compile/stages/judge/undecided.ts'
import { skippedCost } from '../../../../core/compile/stages/clock/stage-clock.ts'
import { stageFigures } from '../../../../core/compile/stages/scoring/stage-figures.ts'
import { synthesizeVerifier } from '../../../../core/compile/stages/verifier/synthesize-verifier.ts'
import { measured, type Figure } from '../../../../core/kernel/wire/figure.ts'

const basesOf = (figures: Readonly<Record<string, Figure>>) => Object.values(figures).map(({ basis }) => basis)

describe('figures of what was not measured', () => {
  it('a verifier without wrong outputs has no rate of them, and none of inputs without rows', () => {
    const { figures, soundness, inputs } = synthesizeVerifier([{ id: 'row_1', input: 'a', output: 'a' }])
    expect(inputs.rows).to.equal(0)
    expect(figures?.false_alarm_rate).to.include({ basis: 'not_measured' })
    expect(figures?.false_accept_rate.basis).to.equal(soundness.mutants === 0 ? 'not_measured' : 'measured')
    expect(figures?.right_withheld).to.include({ basis: 'not_measured' })
  })

  it('a skipped stage and a skipped adapter measured nothing', () => {
    const skipped = skippedCost('lora-fit', 'no adapter was asked for')
    expect(new Set(basesOf(stageFigures(skipped)))).to.deep.equal(new Set(['not_measured']))
    const { figures } = describeAdapter(skippedAdapter('floor_reached', 'a program is enough').report)
    expect(new Set(basesOf(figures))).to.deep.equal(new Set(['not_measured']))
  })

  it('an adapter states what each of its numbers was measured on', () => {
    const { report: none } = skippedAdapter('', '')
    const fitted = { ...none, status: 'fitted', steps: 30, best_step: 20, loss: 0.5, training_rows: 40 } as const
    const validated = { ...fitted, validation_rows: 8, validation_loss: 0.6, tokens_per_second: 90 }
    const { figures } = describeAdapter(validated)
    expect(figures.loss).to.include({ value: 0.5, how: 'training loss at the step that was kept' })
    expect([figures.best_step, figures.validation_loss].map((one) => 'n' in one && one.n)).to.deep.equal([8, 8])
    expect(new Set(basesOf(figures))).to.deep.equal(new Set(['measured']))
    const unvalidated = describeAdapter(fitted).figures
    for (const name of ['best_step', 'validation_loss', 'tokens_per_second'] as const)
      expect(unvalidated[name], name).to.include({ basis: 'not_measured' })
    expect(describeAdapter({ ...fitted, steps: 0, loss: 0 }).figures.loss).to.include({ basis: 'not_measured' })
  })

  it('a stage without a provider has times and steps, and no price', () => {
    const cost = { ...skippedCost('verify', ''), status: 'done', reason: null, wall_ms: 12, cpu_ms: 9 } as const
    const figures = stageFigures(cost)
    expect(figures.wall_ms).to.include({ basis: 'measured', value: 12 })
    expect(figures.cost_usd).to.include({ basis: 'not_measured' })
  })

  it('no person approves rows, and no check tells where they come from', () => {
    const rows = ['a', 'b', 'c'].map((input, i) => ({ id: `row_${i + 1}`, input, output: input }))
    const { provenance } = splitRows(rows)
    if (!('spec' in provenance) || provenance.figures === undefined) throw new Error('no figures')
    expect(basesOf(provenance.figures)).to.deep.equal(['not_measured', 'not_measured'])
  })

  it('a job without a recipe has no score', () => {
    const { k_score: kScore, accuracy } = figuresOf(null) ?? {}
    expect([kScore, accuracy]).to.deep.equal(
      Array.from({ length: 2 }, () => ({ basis: 'not_measured', why: 'no recipe was found' })),
    )
    expect(figuresOf(undefined)).to.equal(undefined)
  })

  it('a share of programs says nothing of recipes that a teacher had a part in', () => {
    const share = measured(0.25, 4, 'a share')
    expect(undecidedOf(share, { kind: 'program', provider: 'synthesizer' })).to.equal(share)
    for (const shipped of [
      null,
      { kind: 'program', provider: 'frontier' },
      { kind: 'program', provider: 'synthesizer', settings: { teacher_rows: 3 } },
      { kind: 'classifier', provider: 'trainer', settings: { teacher_rows: 3 } },
    ] as const) {
      expect(undecidedOf(share, shipped)).to.include({ basis: 'not_measured' })
    }
  })
})
