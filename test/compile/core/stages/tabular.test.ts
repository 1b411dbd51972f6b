import { expect } from 'chai'
import { skippedCost } from '../../../../core/compile/stages/clock/stage-clock.ts'
import { skippedAdapter } from '../../../../core/compile/stages/lora/adapter-report.ts'
import { withoutAdapter } from '../../../../core/compile/stages/lora/judge-adapter.ts'
import { condenseVerdict } from '../../../../core/compile/stages/judge/verdict.ts'
import { chooseKind } from '../../../../core/compile/stages/judge/choose-kind.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import { previewCompile } from '../../../../core/compile/stages/preview/preview.ts'
import { estimateCompile } from '../../../../core/compile/stages/preview/estimate.ts'
import { openCandidate } from '../../../../core/compile/stages/candidate.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import { computeKScore } from '../../../../core/compile/stages/scoring/k-score.ts'
import { wilsonInterval } from '../../../../core/kernel/statistics/wilson-interval.ts'
import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import type { SampleOutput } from '../../../../core/compile/stages/stage-types.ts'
import type { VerifyOutput } from '../../../../core/compile/stages/judge/verify-types.ts'
import type { RecipeKind, Row } from '../../../../core/compile/rows/task.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { loanRows, numberRows, tagRows } from '../../../model/tabular/given.ts'
import { deskRows, rowsOf } from '../rows/given-rows.ts'

interface Compiled {
  readonly rows: readonly Row[]
  readonly sample: SampleOutput
  readonly verdict: VerifyOutput
}

function compile(pairs: readonly { readonly input: Json; readonly output: Json }[], floor = 0.5): Compiled {
  const rows = rowsOf(pairs.map(({ input, output }) => [input, output] as const))
  const common = { task: 'Answer as the examples do.', rows, negatives: [], facts: factsOf(rows) }
  const sample = sampleCandidates({ ...common, k: 2, budgetMs: 20_000, workBudget: 5_000 })
  return { rows, sample, verdict: verifyCandidates({ ...common, sample, floor }) }
}

describe('compile of a table', function () {
  this.timeout(180_000)
  let loans: Compiled
  before(() => {
    loans = compile(loanRows(40))
  })

  it('ships a tabular model where members of objects decide a label, scored by its folds', () => {
    const { rows, sample, verdict } = loans
    expect(verdict.chosen?.kind).to.equal('tabular')
    const [winner] = verdict.kinds.filter(({ kind }) => kind === 'tabular')
    const others = verdict.kinds.filter(({ kind }) => kind !== 'tabular')
    expect(winner?.scoring).to.equal('cross_fit')
    expect(winner?.evaluation.n).to.equal(rows.length)
    for (const { evaluation } of others) expect(evaluation.accuracy).to.be.below(winner?.evaluation.accuracy ?? 0)
    const [record] = sample.samples.filter(({ kind }) => kind === 'tabular')
    expect(record).to.deep.include({ id: 'tabular-1', provider: 'trainer', rank: 1 })
    expect(record?.verdict).to.include({ fitted_rows: 40, held_back_rows: 40, chosen: 'winner' })
  })

  it('withholds answers below the threshold that the verifier states', () => {
    const { rows, verdict } = loans
    const data = verdict.chosen?.data
    if (data?.kind !== 'tabular') throw new Error('no tabular model was chosen')
    expect(data.recipe['target']).to.include({ threshold: verdict.verifier.abstention?.threshold })
    const runner = openCandidate(data)
    const { threshold = 0 } = verdict.verifier.abstention ?? {}
    for (const { input } of rows) {
      const { abstained, confidence } = runner.run(input)
      expect(abstained).to.equal(confidence < threshold)
    }
  })

  it('ships one for lists of few labels', () => {
    const { verdict } = compile(tagRows(40))
    expect(verdict.chosen?.kind).to.equal('tabular')
    expect(verdict.kScore?.accuracy).to.be.greaterThan(0.9)
  })

  it('fits none for texts, for objects that hold only texts, and for outputs that are no labels', () => {
    const reasonOf = (pairs: Parameters<typeof compile>[0]) =>
      compile(pairs).sample.notApplicable.find(({ kind }) => kind === 'tabular')?.reason
    const desks = deskRows().slice(0, 40)
    expect(reasonOf(desks)).to.include('inputs are not objects with members, numbers or lists of numbers')
    expect(reasonOf(desks.map(({ input, output }) => ({ input: { text: input }, output })))).to.include(
      'no member of the inputs is a number',
    )
    const texts = loanRows(12).map(({ input }, i) => ({ input, output: `answer ${i}` }))
    expect(reasonOf(texts)).to.include('outputs are neither labels, nor lists of few labels, nor numbers')
  })

  it('offers one for numbers, and says how far its answers miss where the job is gated', () => {
    const { verdict } = compile(numberRows(60), 0.85)
    const data = verdict.chosen?.data
    expect(data?.kind === 'tabular' && data.recipe['target']).to.include({ kind: 'number' })
    expect(verdict.gate.passed).to.equal(false)
    const [, half, most] = /Half of the answers miss by at most ([\d.]*\d), nine tenths by at most ([\d.]*\d)/.exec(
      verdict.gate.reason ?? '',
    ) ?? ['']
    expect(Number(half)).to.be.within(0.01, 1.5)
    expect(Number(most)).to.be.within(Number(half), 4)
    const skipped = withoutAdapter(
      condenseVerdict(verdict),
      skippedAdapter('x', 'no adapter'),
      skippedCost('lora-fit', 'x'),
    )
    expect(skipped.gate.reason).to.include(`miss by at most ${half}`).and.include('no adapter')
  })

  it('rounds an estimate where that is right more often than a label', () => {
    const steps = numberRows(80).map(({ input, output }) => ({ input, output: Math.round(Number(output) / 2) }))
    const { verdict } = compile(steps)
    const data = verdict.chosen?.data
    expect(data?.kind === 'tabular' && data.recipe['target']).to.include({ kind: 'number', decimals: 0 })
    expect(verdict.gate.passed).to.equal(true)
  })

  it('leaves the program in place where one is right on all rows', () => {
    const pairs = Array.from({ length: 24 }, (_, i) => ({
      input: { size: i * 7, unit: i % 2 === 0 ? 'm' : 'km' },
      output: i % 2 === 0 ? 'short' : 'long',
    }))
    expect(compile(pairs).verdict.chosen?.kind).to.equal('program')
  })

  it('is the same bytes in every compile of the same rows', () => {
    expect(compile(loanRows(40)).verdict.chosen).to.deep.equal(loans.verdict.chosen)
  })

  it('is previewed within the limits of a dry run, and estimated', () => {
    const rows = rowsOf(loanRows(40).map(({ input, output }) => [input, output] as const))
    const preview = previewCompile({ task: 'x', rows, floor: 0.5, budgetMs: 20_000 })
    expect(preview.recipe_source).to.equal('tabular')
    expect(preview.synth.strategy).to.equal('tabular_model')
    const estimate = estimateCompile({ task: 'x', rowCount: 40, sampleRows: rows, k: 4, rowsUsedPerCompile: 1000 })
    expect(estimate.inputs.kinds).to.deep.equal(['program', 'classifier', 'tabular'])
    expect(estimate.plan.find(({ kind }) => kind === 'tabular')?.runs).to.equal(6)
  })
})

describe('a classifier and a tabular model that tie', () => {
  const result = (kind: RecipeKind, accuracy: number, inner: number) => ({
    kind,
    scoring: 'cross_fit' as const,
    innerEvidence: { rows: 100, right: inner },
    evaluation: { accuracy, n: 100 },
    kScore: computeKScore(
      {
        accuracy,
        coverage: 1,
        n: 100,
        interval: wilsonInterval(accuracy * 100, 100),
        latency: { p50_us: 1, calls: 9 },
      },
      { sizeBytes: 1, floor: 0.8 },
    ),
  })

  it('are distinguished by the rows that their folds left out, not by inner evidence', () => {
    const kindOf = (classifier: number, tabular: number) =>
      chooseKind([result('classifier', classifier, 99), result('tabular', tabular, 90)])?.kind
    expect(kindOf(0.9, 0.91)).to.equal('tabular')
    expect(kindOf(0.91, 0.9)).to.equal('classifier')
    expect(kindOf(0.9, 0.9)).to.equal('classifier')
  })

  it('leave the choice to a cheaper program with as much inner evidence', () => {
    const results = [result('program', 0.9, 95), result('classifier', 0.9, 90), result('tabular', 0.91, 95)]
    expect(chooseKind(results)?.kind).to.equal('program')
  })
})
