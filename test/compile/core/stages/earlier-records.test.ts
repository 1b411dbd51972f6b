import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import { expect } from 'chai'
import { isBetterOnCommonRows } from '../../../../core/compile/stages/judge/common-rows.ts'
import { SeedProvenanceDocument } from '../../../../core/compile/archive/schemas/build.ts'
import { checkUnlabelled } from '../../../../core/compile/archive/verify/unlabelled.ts'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { judgeAdapter, type ApartRows } from '../../../../core/compile/stages/lora/judge-adapter.ts'
import { apartOf } from '../../../../core/compile/stages/sample/apart-of.ts'
import type { RowView } from '../../../../core/compile/wire/jobs/explain/rows.ts'
import { taskEquality } from '../../../../core/compile/rows/equality/task-equality.ts'
import { chooseKind } from '../../../../core/compile/stages/judge/choose-kind.ts'
import { condenseVerdict, listedUnlabelled, type Verdict } from '../../../../core/compile/stages/judge/verdict.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import type { SampleOutput } from '../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import { skippedAdapter } from '../../../../core/compile/stages/lora/adapter-report.ts'
import { computeKScore } from '../../../../core/compile/stages/scoring/k-score.ts'
import { ADAPTER_RECIPE, adapterBytes } from '../../../support/archives/archives.ts'
import { sealVerdict } from '../../../support/archives/compiled.ts'
import { earlierSplit } from '../teacher/earlier-draft.ts'
import { nameRows, rowsOf } from '../rows/given-rows.ts'

const SCORE = computeKScore(
  { accuracy: 1, coverage: 1, n: 50, interval: { low: 0, high: 1 }, latency: { p50_us: 1, calls: 9 } },
  { sizeBytes: 100, floor: 0.8 },
)

const common = (rows: readonly Row[]) => ({ task: 'As the examples do.', rows, negatives: [], facts: factsOf(rows) })

/** Returns the record of `k-sample` of the version before: one split, scored by a holdout or by leaving out each row in turn. */
function earlierSample(rows: readonly Row[], held: readonly number[]): SampleOutput {
  const split = earlierSplit(rows, held)
  const learned = split.train.flatMap((place) => rows[place] ?? [])
  const {
    apart: _apart,
    equality: _equality,
    ...sample
  } = sampleCandidates({
    ...common(learned),
    k: 2,
    budgetMs: 20_000,
    workBudget: 200_000,
  })
  const isInTurn = split.mode === 'leave_one_out'
  const kinds = sample.kinds.map((kind) => ({ ...kind, folds: isInTurn ? kind.folds : null }))
  return { ...sample, spec: 'svc-sample-1', split, kinds }
}

describe('stage records of the version before cross-fitting', () => {
  const few = nameRows()
  const many = rowsOf(Array.from({ length: 25 }, (_, i) => [`item ${i * 7}`, `${i * 7}`] as const))
  const held = [0, 6, 12, 18, 24]

  for (const [name, rows, places] of [
    ['leave_one_out', few, [...few.keys()]],
    ['holdout', many, held],
  ] as const) {
    it(`are judged, bundled and verified as they began: ${name}`, async () => {
      const sample = earlierSample(rows, places)
      const verdict = condenseVerdict(verifyCandidates({ ...common(rows), sample, floor: 0.5 }))
      expect(verdict.split.mode).to.equal(name)
      expect(verdict.evals).to.include({ spec: 'svc-evals-1', split: name, n: places.length, correct: places.length })
      expect(verdict.evals.rows[0]).to.have.all.keys('id', 'input', 'expected', 'output', 'abstained', 'correct')
      const { archive } = await sealVerdict(
        { ...verdict, sampling: null },
        { task: 'x', sampling: sample.cost, floor: 0.5 },
      )
      const result = await verifyByRecomputation(archive)
      expect(result.ok, result.detail).to.equal(true)
      const answers = result.checks.find((check) => check.name === 'recomputed_answers')?.status
      expect(answers).to.equal(name === 'holdout' ? 'pass' : 'warn')
    })
  }

  it('let an adapter that was not planned yet be scored by rows that it does not see', () => {
    const inTurn = earlierSample(few, [...few.keys()])
    const apart = apartOf(inTurn, few)
    expect([apart?.mode, apart?.train.length, apart?.holdout.length]).to.deep.equal(['holdout', 8, 2])
    const withHoldout = earlierSample(many, held)
    expect(apartOf(withHoldout, many)).to.equal(withHoldout.split)
  })

  it('let a fitted adapter compete under the evidence of its own rows', () => {
    const sample = earlierSample(few, [...few.keys()])
    const found = condenseVerdict(verifyCandidates({ ...common(few), sample, floor: 0.5 }))
    const { chosen: _chosen, ...rest } = found
    const verdict = { ...rest, spec: 'svc-verdict-1' as const, chosen: null, kinds: [] }
    const apart = apartOf(sample, few)
    if (apart === null) throw new Error('too few rows')
    const rows = apart.holdout.flatMap((place) => few[place] ?? [])
    const judged = judgeAdapter({
      verdict,
      equality: taskEquality(few, apart),
      choices: { recipe_kind: 'lora', rows: 'held' },
      data: { kind: 'lora', recipe: ADAPTER_RECIPE, adapter: adapterBytes() },
      given: { rows: few, unlabelled: [], posterior: undefined },
      rows,
      answers: rows.map(({ output }) => ({ output, abstained: false, confidence: 0.9, error: null })),
      latency: { p50_us: 1, p95_us: 1, p99_us: 1, calls: 1 },
      innerEvidence: null,
      evidence: skippedAdapter('test', 'of a test'),
      cost: sample.cost,
      apart: { split: apart, train: apart.train.flatMap((place) => few[place] ?? []), negatives: [], unlabelled: [] },
    })
    expect(judged.chosen?.kind).to.equal('lora')
    expect(judged.split).to.deep.equal({ mode: 'holdout', provenance: apart.provenance })
    expect(judged.evals).to.include({ spec: 'svc-evals-2', mode: 'holdout', n: 2, correct: 2 })
    expect(judged.verifier.completeness.rows).to.equal(8)
  })
})

describe('a fitted adapter', () => {
  const rows = rowsOf(Array.from({ length: 25 }, (_, i) => [`item ${i * 7}`, `${i * 7}`] as const))
  const inputs = ['item 4711', 'item 12']
  const unlabelled = inputs.map((input, i) => ({ id: `unlabelled_${i + 1}`, input }))
  const sample = sampleCandidates({
    ...common(rows),
    unlabelled,
    k: 2,
    budgetMs: 20_000,
    workBudget: 200_000,
  })
  const split = apartOf(sample, rows)
  const at = (places: readonly number[] = []) => places.flatMap((place) => rows[place] ?? [])
  const judge = (verdict: Verdict, apart: ApartRows | null) =>
    judgeAmong({ ...verdict, chosen: null, kinds: [] }, apart, 'lora')
  const judgeAmong = (verdict: Verdict, apart: ApartRows | null, kind: 'auto' | 'lora') =>
    judgeAdapter({
      verdict,
      equality: taskEquality(rows, sample.split),
      choices: { recipe_kind: kind, rows: 'held' },
      data: { kind: 'lora', recipe: ADAPTER_RECIPE, adapter: adapterBytes() },
      given: {
        rows,
        unlabelled,
        posterior: { candidates: [], inputs, undecided: { basis: 'not_measured', why: 'no program was found' } },
      },
      rows: at(split?.holdout),
      answers: at(split?.holdout).map(({ output }) => ({ output, abstained: false, confidence: 0.9, error: null })),
      latency: { p50_us: 1, p95_us: 1, p99_us: 1, calls: 1 },
      innerEvidence: null,
      evidence: skippedAdapter('test', 'of a test'),
      cost: sample.cost,
      apart,
    })

  it('shows all rows of the compile in their order, and below the floor the inputs to label', () => {
    if (split === null) throw new Error('too few rows')
    const verdict = condenseVerdict(verifyCandidates({ ...common(rows), sample, floor: 1 }))
    const judged = judge(verdict, { split, train: at(split.train), negatives: [], unlabelled: inputs })
    expect(judged.gate.passed).to.equal(false)
    const lines = Buffer.from(judged.rowReport ?? [])
      .toString()
      .trim()
      .split('\n')
      .map((line): RowView => JSON.parse(line))
    const ids = [...rows, ...unlabelled].map(({ id }) => id)
    expect(lines.map(({ id }) => id)).to.deep.equal(ids)
    const sides = rows.map((_, place) => (split.holdout.includes(place) ? 'held_out' : 'learned'))
    expect(lines.map(({ side }) => side)).to.deep.equal([...sides, 'to_label', 'to_label'])
    expect(judged.rowAdvice?.to_label.map(({ id }) => id)).to.deep.equal(unlabelled.map(({ id }) => id))
  })

  it('has no share of undecided inputs, and lists the inputs where its own archive holds rows', () => {
    if (split === null) throw new Error('too few rows')
    const output = verifyCandidates({ ...common(rows), sample, floor: 0.5, rowsForm: 'digests' })
    const verdict = condenseVerdict(output)
    expect(verdict.undecided).to.include({ basis: 'measured' })
    expect(listedUnlabelled(verdict)).to.equal(undefined)
    const judged = judge(verdict, { split, train: at(split.train), negatives: [], unlabelled: inputs })
    expect(judged.undecided).to.deep.equal({
      basis: 'not_measured',
      why: 'it is measured for programs; the recipe is an adapter',
    })
    const { provenance } = judged.split
    const build = { seed_provenance: SeedProvenanceDocument.parse(JSON.parse(JSON.stringify(provenance))) }
    const { undecided, evals } = judged
    const listed = [...(listedUnlabelled(judged) ?? [])]
    expect(listed).to.have.members(inputs)
    checkUnlabelled({ ...build, recipe_kind: 'lora', undecided, unlabelled_inputs: listed }, { evals })
  })

  it('takes the place of another recipe only when it is right on more of the rows that both answer', () => {
    if (split === null) throw new Error('too few rows')
    const apart = { split, train: at(split.train), negatives: [], unlabelled: inputs }
    const verdict = condenseVerdict(verifyCandidates({ ...common(rows), sample, floor: 0.5 }))
    const kinds = verdict.kinds.map((one) => ({ ...one, kScore: { ...one.kScore, composite: 0.3, ships: false } }))
    const chosenWhere = (correct: boolean) => {
      const { evals } = verdict
      if (evals.spec !== 'svc-evals-2') throw new Error('the rows have no folds')
      const judged = evals.rows.map((row) => ({ ...row, correct }))
      return judgeAmong({ ...verdict, kinds, evals: { ...evals, rows: judged } }, apart, 'auto').chosen?.kind
    }
    expect(chosenWhere(true)).to.equal(verdict.chosen?.kind)
    expect(chosenWhere(false)).to.equal('lora')
  })

  it('keeps the verifier of an earlier version as it is, without a certificate', () => {
    const verdict = condenseVerdict(verifyCandidates({ ...common(rows), sample, floor: 0.5 }))
    const { inputs: _inputs, on_doubt: _onDoubt, ...fields } = verdict.verifier
    const earlier: Verdict = JSON.parse(JSON.stringify({ ...verdict, verifier: { ...fields, spec: 'svc-verifier-1' } }))
    const judged = judge(earlier, null)
    expect(judged.chosen?.kind).to.equal('lora')
    expect(judged.verifier).to.deep.equal(earlier.verifier)
    expect(judged.certificate).to.equal(null)
  })
})

describe('an adapter that some of the rows score', () => {
  const scored = (right: readonly boolean[]) => right.map((correct, at) => ({ id: `row_${at}`, correct }))

  it('is better only with more right answers on these rows, which the archive may hold as digests', () => {
    const evaluation = { results: scored([true, true]) }
    const [same, fewer] = [scored([true, true, false]), scored([true, false, true])]
    for (const [others, expected] of [
      [same, false],
      [fewer, true],
    ] as const) {
      expect(isBetterOnCommonRows({ evaluation }, { rows: others })).to.equal(expected)
      expect(isBetterOnCommonRows({ evaluation }, { rows: [], digests: others })).to.equal(expected)
    }
  })
})

describe('kinds that were scored in different ways', () => {
  const result = (kind: 'program' | 'classifier' | 'lora', composite: number, scoring: 'cross_fit' | 'holdout') => ({
    kind,
    scoring,
    innerEvidence: null,
    evaluation: { accuracy: composite, n: 50 },
    kScore: { ...SCORE, composite, ships: composite >= 0.8 },
  })

  it('ship the cheapest that reaches the floor, however much better the other', () => {
    const best = chooseKind([result('program', 0.82, 'cross_fit'), result('lora', 1, 'holdout')])
    expect(best?.kind).to.equal('program')
    const alike = chooseKind([result('program', 0.82, 'cross_fit'), result('classifier', 1, 'cross_fit')])
    expect(alike?.kind).to.equal('classifier')
  })

  it('ship the best when none reaches the floor, and the only one that does', () => {
    expect(chooseKind([result('program', 0.5, 'cross_fit'), result('lora', 0.7, 'holdout')])?.kind).to.equal('lora')
    expect(chooseKind([result('program', 0.5, 'cross_fit'), result('lora', 0.9, 'holdout')])?.kind).to.equal('lora')
  })

  it('ship the one whose numbers miss least when none reaches the floor, in any order', () => {
    const misses = { program: null, tabular: 1, composite: 0.5 }
    const results = [
      { ...result('program', 0.2, 'cross_fit'), kind: 'program' as const },
      { ...result('program', 0.3, 'cross_fit'), kind: 'tabular' as const },
      { ...result('program', 0.1, 'cross_fit'), kind: 'composite' as const },
    ]
    for (const given of [results, results.toReversed()]) {
      expect(chooseKind(given, ({ kind }) => misses[kind])?.kind).to.equal('composite')
    }
  })
})
