import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import { expect } from 'chai'
import { LANGUAGE, type Expr, type Program } from '../../../../core/compile/language/ast.ts'
import { programRunner } from '../../../../core/compile/language/runner.ts'
import { openCandidate } from '../../../../core/compile/stages/candidate.ts'
import { estimateCompile } from '../../../../core/compile/stages/preview/estimate.ts'
import { EXACT } from '../../../../core/compile/rows/equality/equality.ts'
import { isMemorising } from '../../../../core/compile/stages/sample/is-memorising.ts'
import { previewCompile } from '../../../../core/compile/stages/preview/preview.ts'
import { sampleClassifiers } from '../../../../core/compile/stages/sample/sample-classifier.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import { startClock } from '../../../../core/compile/stages/clock/stage-clock.ts'
import type { VerifyOutput } from '../../../../core/compile/stages/judge/verify-types.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import { SUPPORT_QUEUES } from '../../../../core/compile/stages/advice/templates/support-queues.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { deskRows, hopelessRows, nameRows, rowsOf } from '../rows/given-rows.ts'

function common(rows: readonly Row[]) {
  return { task: 'Answer as the examples do.', rows, negatives: [], facts: factsOf(rows) }
}

function compile(rows: readonly Row[], floor = 0.85): VerifyOutput {
  const sample = sampleCandidates({ ...common(rows), k: 4, budgetMs: 20_000, workBudget: 400_000 })
  return verifyCandidates({ ...common(rows), sample, floor })
}

/** A small copy of the usual first compile: 24 rows, three labels. */
const QUEUES = rowsOf([
  ...[
    'The bill for May is too high',
    'Send the bill to our new address',
    'Why is tax on my bill',
    'The bill names the wrong firm',
    'I got the same bill twice',
    'Can I pay the bill by card',
    'Your bill cannot be opened',
    'When is the bill due',
  ].map((text) => [text, 'billing'] as const),
  ...[
    'My password does not work',
    'I lost my password',
    'The password mail never came',
    'How do I change my password',
    'The page refuses my password',
    'Someone knows my password',
    'Is my password long enough',
    'Reset the password of a colleague',
  ].map((text) => [text, 'login'] as const),
  ...[
    'The package is late',
    'My package arrived open',
    'Bring the package to my office',
    'Who signed for the package',
    'The package went to a neighbour',
    'Hold the package until Monday',
    'Half of the package was missing',
    'Where is my package now',
  ].map((text) => [text, 'shipping'] as const),
])

describe('compute stages', () => {
  it('compiles a label task of 24 rows past the default floor', () => {
    const output = compile(QUEUES)
    expect(output.gate).to.deep.include({ passed: true, reason: null })
    expect(output.split).to.deep.include({ mode: 'cross_fit' })
    expect(output.kScore?.n).to.equal(24)
    expect(output.kinds.map(({ kind }) => kind)).to.include('classifier')
    expect(output.evals.map(({ fold }) => fold ?? -1).toSorted((a, b) => a - b)).to.deep.equal(
      [0, 1, 2, 3, 4].flatMap((fold) => Array.from({ length: fold < 4 ? 5 : 4 }, () => fold)),
    )
    expect(output.costs.map(({ stage, status }) => `${stage} ${status}`)).to.deep.equal(['verify done'])
  })

  const initials = rowsOf(
    ['Ines', 'Omar', 'Lena', 'Ravi', 'Paula', 'Sven'].flatMap((first) =>
      ['Duarte', 'Haddad', 'Vogt', 'Menon', 'Ortiz'].map((last) => [`${first} ${last}`, `${last}-${first}`] as const),
    ),
  )
  const sampled = (given: readonly Row[]) =>
    sampleCandidates({ ...common(given), k: 2, budgetMs: 20_000, workBudget: 100_000 })

  it('never lets a fold reach the recipes that answer it', () => {
    const before = sampled(initials)
    const [fold = []] = before.split.folds ?? []
    expect(fold).to.have.length(6)
    const held = new Set(fold)
    const after = sampled(
      initials.map((row, place) => (held.has(place) ? { ...row, output: `something else ${place}` } : row)),
    )
    const answersOf = ({ kinds }: typeof before) =>
      kinds[0]?.folds?.filter((_, place) => held.has(place)).map(({ output }) => output)
    expect(answersOf(before)).to.deep.equal(fold.map((place) => initials[place]?.output))
    expect(answersOf(after)).to.deep.equal(answersOf(before))
  })

  it('never lets a test row reach a sample', () => {
    const marked = initials.map((row, place) => (place % 5 === 0 ? { ...row, kind: 'test' as const } : row))
    const before = sampled(marked)
    const held = new Set(before.split.holdout)
    expect([before.split.mode, held.size]).to.deep.equal(['test_rows', 6])
    const after = sampled(
      marked.map((row, place) => (held.has(place) ? { ...row, output: `something else ${place}` } : row)),
    )
    expect(after.split.provenance.holdout_hash).not.to.equal(before.split.provenance.holdout_hash)
    expect(after.split.provenance.synthesis_input_hash).to.equal(before.split.provenance.synthesis_input_hash)
    expect(after.samples).to.deep.equal(before.samples)
    expect(after.kinds).to.deep.equal(before.kinds)
    const verdict = verifyCandidates({ ...common(marked), sample: before, floor: 0.5 })
    expect(verdict.kScore).to.include({ n: 6, accuracy: 1 })
    expect(verdict.evals.map(({ fold }) => fold)).to.deep.equal(Array.from({ length: 6 }, () => null))
  })

  it('compiles a rewriting task from ten rows, each judged by a program that never saw it', () => {
    const output = compile(nameRows())
    expect(output.gate.passed).to.equal(true)
    expect(output.chosen?.kind).to.equal('program')
    expect(output.split.mode).to.equal('cross_fit')
    expect(output.kScore).to.deep.include({ n: 10, accuracy: 1 })
    const { chosen } = output
    if (chosen === null || chosen.data.kind === 'lora') throw new Error('no program was chosen')
    expect(openCandidate(chosen.data).run('Grace Hopper').output).to.equal('Hopper, G.')
    expect(output.verifiedSampleIds).to.include(chosen.sampleId)
  })

  it('gates a hopeless task and names the failing rows', () => {
    const output = compile(hopelessRows(24))
    expect(output.gate.passed).to.equal(false)
    expect(output.gate.failing_rows).to.have.length(24)
    expect(output.gate.failing_rows[0]?.id).to.match(/^row_\d+$/)
    expect(output.gate.reason).to.match(
      /^no recipe was found for these examples. Kinds without a candidate: program \(.*\)$/,
    )
  })

  it('gives the same samples for the same rows', () => {
    const once = sampleCandidates({ ...common(QUEUES), k: 3, budgetMs: 20_000, workBudget: 200_000 })
    const again = sampleCandidates({ ...common(QUEUES), k: 3, budgetMs: 20_000, workBudget: 200_000 })
    expect(again.samples).to.deep.equal(once.samples)
    expect(again.kinds).to.deep.equal(once.kinds)
  })

  it('keeps negatives on held-out inputs from samples, folds and verifier', () => {
    const rows = rowsOf([
      ['ab ab', 'AB'],
      ['cd cd', 'CD'],
      ['xy zz', 'ZZ'],
    ])
    const hint = (input: Json, notOutput: Json) => [{ id: 'n', input, notOutput }]
    const foldsWith = (negatives: ReturnType<typeof hint>) =>
      sampleCandidates({ ...common(rows), negatives, k: 8, budgetMs: 20_000 }).kinds.map(({ folds }) => folds)
    expect(foldsWith(hint('xy zz', 'XY'))).to.deep.equal(foldsWith([]))

    const base = common(QUEUES.map((row, place) => (place % 5 === 0 ? { ...row, kind: 'test' as const } : row)))
    const sample = sampleCandidates({ ...base, k: 1, budgetMs: 20_000, workBudget: 10_000 })
    const held = QUEUES[sample.split.holdout[0] ?? 0]?.input ?? null
    const { verifier } = verifyCandidates({ ...base, sample, floor: 0, negatives: hint(held, 'login') })
    expect(verifier.checks.map(({ kind }) => kind)).not.to.include('not_output')
    expect(verifyCandidates({ ...base, sample, floor: 0 }).equality).to.equal(sample.equality)
  })

  it('compiles texts to labels by what generalises, not by a table of their words', () => {
    const rows = SUPPORT_QUEUES.examples.map((row, i) => ({ id: `row_${i + 1}`, ...row }))
    const output = compile(rows)
    expect(output.gate.passed).to.equal(true)
    expect(output.chosen?.kind).to.equal('classifier')
    const words = ['the', 'is', 'my', 'a', 'to'].map((key, i) => ({ key, value: i % 2 === 0 ? 'x' : 'y' }))
    const second: Expr = {
      op: 'nth',
      list: { op: 'split', text: { op: 'input' }, by: { kind: 'literal', text: ' ' } },
      index: 1,
    }
    const table = (key: Expr): Program => ({ language: LANGUAGE, body: { op: 'lookup', key, cases: words } })
    const texts = (count: number) =>
      rowsOf(
        Array.from(
          { length: count },
          (_, i) => [`it ${words[i % 5]?.key} parcel from ${i}`, i % 2 === 0 ? 'x' : 'y'] as const,
        ),
      )
    expect(isMemorising(table(second), texts(30))).to.equal(true)
    expect(isMemorising(table(second), texts(50))).to.equal(false)
    expect(programRunner(table(second)).run('it rains').abstained).to.equal(true)
    const member: Expr = { op: 'field', of: { op: 'input' }, name: 'kind' }
    const records = texts(12).map((row, i) => ({ ...row, input: { kind: words[i % 5]?.key ?? '', note: row.input } }))
    expect(isMemorising(table(member), records)).to.equal(false)
    expect(isMemorising(table(member), records.slice(0, 5))).to.equal(true)
  })

  it('goes on without a classifier when its training fails', () => {
    const huge = QUEUES.map((row, i) =>
      i === 0
        ? {
            ...row,
            get input(): Json {
              throw new RangeError('no room')
            },
          }
        : row,
    )
    const kind = sampleClassifiers({
      train: huge,
      negatives: [],
      unlabelled: { picked: [], all: [] },
      equality: EXACT,
      outputs: [],
      request: { task: 'x', k: 1, budgetMs: 1000 },
      clock: startClock('k-sample', {}),
      isCancelled: () => false,
    })
    expect(kind).to.deep.include({ candidates: null, reason: 'training failed: no room' })
  })

  it('ends a preview when its processor time is spent', () => {
    expect(() => previewCompile({ task: 'x', rows: deskRows(), floor: 0, budgetMs: 0 }))
      .to.throw(DomainError)
      .with.property('code', 'preview_timeout')
  })

  it('stops when it is cancelled', () => {
    const run = (): unknown =>
      sampleCandidates({ ...common(QUEUES), k: 2, budgetMs: 20_000 }, { isCancelled: () => true })
    expect(run).to.throw(DomainError).with.property('code', 'compile_cancelled')
  })

  it('refuses rows that are not those that were split', () => {
    const sample = sampleCandidates({ ...common(nameRows()), k: 1, budgetMs: 20_000, workBudget: 50_000 })
    const others = nameRows().map((row) => ({ ...row, output: 'x' }))
    expect(() => verifyCandidates({ ...common(others), sample, floor: 0 }))
      .to.throw(DomainError)
      .with.property('code', 'compile_failed')
  })

  it('previews on rows it did not fit on, and says which gates it did not run', () => {
    const preview = previewCompile({ task: 'Route it.', rows: QUEUES, floor: 0.85, budgetMs: 5000 })
    expect(preview).to.deep.include({ accepted: true, train_count: 19, holdout_count: 5, n: 24, warnings: [] })
    expect(preview.train_rows).to.have.length(3)
    expect(preview.holdout_rows[0]).to.have.keys('input', 'output')
    expect(preview.production_ready.gates.find(({ name }) => name === 'drift')?.status).to.equal('not_run')
    const poor = previewCompile({ task: 'Guess.', rows: hopelessRows(2), skippedRows: 1, floor: 0.85, budgetMs: 5000 })
    expect(poor.warnings.map(({ code }) => code)).to.deep.equal(['partial_parse', 'few_examples', 'below_gate'])
  })

  it('estimates from the plan that a compile follows', () => {
    const sampleRows = deskRows()
    const bounds = { k: 4, rowsUsedPerCompile: 50_000 }
    const few = estimateCompile({ task: 'x', rowCount: 10, sampleRows: sampleRows.slice(0, 10), ...bounds })
    const many = estimateCompile({ task: 'x', rowCount: 100_000, sampleRows, ...bounds })
    expect(few.inputs.split_mode).to.equal('cross_fit')
    expect(many.inputs).to.deep.include({ rows_used: 50_000, kinds: ['program', 'classifier'] })
    const fewer = estimateCompile({ task: 'x', rowCount: 100_000, sampleRows, k: 4, rowsUsedPerCompile: 30 })
    expect(fewer.inputs.rows_used).to.equal(30)
    expect(many.estimated_minutes.expected).to.be.greaterThan(few.estimated_minutes.expected)
    expect(many.estimated_minutes.low).to.be.lessThan(many.estimated_minutes.high)
  })

  it('estimates a composite where outputs have parts and rows are enough', () => {
    const rows = deskRows().map(({ input, output }) => ({ input, output: { desk: output, text: input } }))
    const estimate = (rowCount: number) =>
      estimateCompile({ task: 'x', rowCount, sampleRows: rows, k: 4, rowsUsedPerCompile: 1000 })
    const step = estimate(200).plan.find(({ kind }) => kind === 'composite')
    expect(step).to.include({ stage: 'k-sample', runs: 12 })
    expect(step?.note).to.include('2 parts')
    expect(estimate(200).inputs.kinds).to.include('composite')
    expect(estimate(9).inputs.kinds).to.not.include('composite')
  })
})
