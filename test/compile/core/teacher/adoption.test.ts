import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { measured } from '../../../../core/kernel/wire/figure.ts'
import { condenseVerdict } from '../../../../core/compile/stages/judge/verdict.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import type { SampleInput, SampleOutput } from '../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import { adoptAnswers } from '../../../../core/compile/stages/teacher/adopt-answers.ts'
import type { TeacherPlan, TeacherSample } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import { earlierDraft } from './earlier-draft.ts'
import { aBrief, ASKED_ALL, aSample, aSampleInput, CITIES, cityRows, tableProgram } from './given.ts'

const planOf = ({ teacherPlan }: SampleOutput): TeacherPlan => {
  if (teacherPlan === null) throw new Error('nothing is asked')
  return teacherPlan
}

const adopt = (input: SampleInput, draft: SampleOutput, samples: readonly TeacherSample[]) =>
  adoptAnswers({ input, unlabelled: input.brief?.unlabelled ?? [], draft, samples, spending: ASKED_ALL })

/** Rows whose label follows from a word, with names to tell them apart. */
const sentimentRows = (count: number): readonly (Row & { readonly input: string })[] =>
  Array.from({ length: count }, (_, i) => {
    const isGood = i % 2 === 0
    const word = (isGood ? ['lovely', 'great', 'superb'] : ['awful', 'poor', 'dreadful'])[i % 3]
    return { id: `r${i}`, input: `item ${i * 37} was ${word} and number ${i}`, output: isGood ? 'good' : 'bad' }
  })

describe('answers of a teacher', () => {
  describe('programs', () => {
    const input = aSampleInput(cityRows(), aBrief())
    const draft = sampleCandidates(input)

    it('are asked for when no program was found, in a prompt without the fifth that scores them and without a quarter of the others', () => {
      const { programs } = planOf(draft)
      expect(programs).to.have.length(1)
      const held = new Set(draft.apart?.holdout)
      expect(held.size).to.equal(6)
      for (const place of [
        ...(programs[0]?.shown ?? []),
        ...(programs[0]?.fit ?? []),
        ...(programs[0]?.unseen ?? []),
      ]) {
        expect(held.has(place)).to.equal(false)
      }
      expect(programs[0]?.unseen).to.have.length(6)
      expect(programs[0]?.fit.filter((place) => programs[0]?.unseen.includes(place))).to.deep.equal([])
      expect(draft.teacher).to.include({ status: 'not_asked', model: 'test-model' })
    })

    it('win when they hold on rows that they were not shown, and on the fifth that scores them', () => {
      const { output, outcomes } = adopt(input, draft, [
        aSample('program/0', 0, tableProgram(CITIES)),
        aSample('program/0', 1, tableProgram(CITIES)),
        aSample('program/0', 2, 'no idea'),
        aSample('program/0', 3, { language: 'svc-recipe-1', body: { op: 'nothing' } }),
      ])
      expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal([
        'candidate',
        'duplicate',
        'unreadable',
        'invalid_program',
      ])
      const [kind] = output.kinds.filter((one) => one.kind === 'program')
      expect(kind?.recipes[0]?.sampleId).to.equal('frontier-1')
      expect(kind).to.deep.include({ competition: 'held_back_rows', innerEvidence: { rows: 6, right: 6 } })
      const [winner] = output.samples
      expect(winner).to.deep.include({ id: 'frontier-1', provider: 'frontier', rank: 1 })
      expect(winner?.verdict).to.include({ held_back_rows: 6, held_back_right: 6, chosen: 'winner' })
      expect(winner?.teacher).to.include({
        model: 'test-model',
        input_tokens: 100,
        cost_usd: 0.0002,
        outcome: 'candidate',
      })
      expect(output.cost).to.include({ provider_tokens: 600, cost_usd: 0.0008 })
      expect(output.teacher).to.deep.include({ status: 'asked', samples: 4, bought: 4, cost_usd: 0.0008 })
      const verdict = verifyCandidates({ ...input, sample: output, floor: 0.85 })
      expect(verdict.gate.passed).to.equal(true)
      expect(verdict.chosen?.sampleId).to.equal('frontier-1')
      // Whatever a teacher saw is scored by rows that it did not see, and its evidence says so.
      expect(verdict.split).to.deep.include({ mode: 'holdout', train: draft.apart?.train })
      expect(verdict.kScore?.n).to.equal(6)
      expect(verdict.kinds[0]?.scoring).to.equal('holdout')
      expect(verdict.evals.every(({ fold }) => fold === null)).to.equal(true)
    })

    it('are not judged by the share on which the programs of the search disagree', () => {
      const { output } = adopt(input, draft, [aSample('program/0', 0, tableProgram(CITIES))])
      const posterior = { candidates: [], inputs: ['x'], undecided: measured(0, 1, 'of a test') }
      const verdict = verifyCandidates({ ...input, sample: { ...output, posterior }, floor: 0.85 })
      expect(verdict.chosen?.sampleId).to.equal('frontier-1')
      expect(verdict.undecided).to.include({ basis: 'not_measured' })
    })

    it('are refused when they only list the rows that they were shown', () => {
      const fit = new Set(planOf(draft).programs[0]?.fit)
      const shown = CITIES.filter((_row, i) => fit.has(i))
      const { output, outcomes } = adopt(input, draft, [aSample('program/0', 0, tableProgram(shown))])
      expect(outcomes[0]?.outcome).to.equal('poor')
      expect(
        output.kinds.flatMap((kind) => kind.recipes).some(({ sampleId }) => sampleId.startsWith('frontier')),
      ).to.equal(false)
    })
  })

  describe('programs for few rows', () => {
    const rows = cityRows(10)
    const input = aSampleInput(rows, aBrief())
    const draft = sampleCandidates(input)

    it('are asked for with two rows that score them and a third of the others out of the prompts', () => {
      const { programs } = planOf(draft)
      expect(programs.map(({ id }) => id)).to.deep.equal(['program/0'])
      const [{ fit, unseen, hint } = { fit: [], unseen: [], hint: null }] = programs
      expect([fit.length, unseen.length, draft.apart?.holdout.length]).to.deep.equal([6, 2, 2])
      expect([...fit, ...unseen, ...(draft.apart?.holdout ?? [])].toSorted((a, b) => a - b)).to.deep.equal([
        ...rows.keys(),
      ])
      // What the search found has seen every row.
      expect(hint).to.equal(null)
    })

    it('are scored on the rows that were in no prompt', () => {
      const known = adopt(input, draft, [aSample('program/0', 0, tableProgram(CITIES))]).output
      const verdict = verifyCandidates({ ...input, sample: known, floor: 0.85 })
      expect(verdict.gate).to.include({ passed: true, k_score: 1 })
      expect(verdict.kScore?.n).to.equal(2)
      const { fit = [] } = planOf(draft).programs[0] ?? {}
      const shown = CITIES.filter((_city, i) => fit.includes(i))
      const listed = adopt(input, draft, [aSample('program/0', 0, tableProgram(shown))]).output
      expect(verifyCandidates({ ...input, sample: listed, floor: 0.85 }).gate.passed).to.equal(false)
    })

    it('are not asked for when fewer than three rows are there', () => {
      const two = sampleCandidates(aSampleInput(cityRows(2), aBrief()))
      expect([two.teacherPlan, two.teacher.reason]).to.deep.equal([null, 'too_few_rows'])
    })
  })

  describe('a draft of a version that left out one row at a time', () => {
    const rows = cityRows(10)
    const input = aSampleInput(rows, aBrief())

    it('is adopted and judged as it was asked', () => {
      const { draft, parts } = earlierDraft(input)
      const known = adopt(
        input,
        draft,
        parts.map(({ id }) => aSample(id, 0, tableProgram(CITIES))),
      ).output
      const verdict = verifyCandidates({ ...input, sample: known, floor: 0.85 })
      expect(verdict.gate).to.include({ passed: true, k_score: 1 })
      expect(condenseVerdict(verdict).evals).to.include({ spec: 'svc-evals-1', split: 'leave_one_out', n: 10 })
      const listed = adopt(
        input,
        draft,
        parts.map(({ id, fit }) => aSample(id, 0, tableProgram(CITIES.filter((_city, i) => fit.includes(i))))),
      ).output
      expect(verifyCandidates({ ...input, sample: listed, floor: 0.85 }).gate.passed).to.equal(false)
    })
  })

  it('are not asked for when the search is right on nearly all rows that it did not see', () => {
    const rows = cityRows().map(({ id, input }) => ({ id, input, output: input.toUpperCase() }))
    const draft = sampleCandidates(aSampleInput(rows, aBrief()))
    expect([draft.teacherPlan, draft.teacher.reason]).to.deep.equal([null, 'cheaper_recipe_fits'])
  })

  it('are not asked for without a teacher, or without a price', () => {
    const none = sampleCandidates(aSampleInput(cityRows()))
    expect([none.teacherPlan, none.teacher.status]).to.deep.equal([null, 'no_teacher_configured'])
    const unpriced = sampleCandidates(aSampleInput(cityRows(), aBrief({ isPriced: false })))
    expect([unpriced.teacherPlan, unpriced.teacher.reason]).to.deep.equal([null, 'no_price_known'])
  })

  describe('labels', () => {
    const rows = sentimentRows(40)
    const unlabelled = [
      { id: 'u0', input: 'item 9001 was lovely and cheap' },
      { id: 'u1', input: 'item 9002 was dreadful and late' },
      { id: 'u2', input: 'item 9003 was something else' },
      { id: 'u3', input: 'item 9004 was great and it came' },
    ]
    const draftFor = (inputs: readonly { id: string; input: Json }[], given: readonly Row[] = rows) => {
      const input = aSampleInput(given, aBrief({ unlabelled: inputs }))
      return { input, draft: sampleCandidates(input) }
    }

    it('are never asked for inputs that are nearly those of the holdout, nor for what is known', () => {
      const { draft: first } = draftFor(unlabelled)
      const heldOut = rows[first.apart?.holdout[0] ?? 0]
      const trained = rows[first.apart?.train[0] ?? 0]
      const { draft } = draftFor([
        { id: 'near', input: heldOut?.input.toUpperCase() ?? '' },
        { id: 'known', input: trained?.input ?? null },
        ...unlabelled,
      ])
      expect(planOf(draft).labels).to.deep.include({
        inputs: [2, 3, 4, 5],
        given: 6,
        droppedNearHoldout: 1,
        droppedKnown: 1,
      })
    })

    it('become training rows when the samples agree and the verifier lets them pass', () => {
      const marked = rows.map((row, i) => (i % 5 === 0 ? { ...row, kind: 'test' as const } : row))
      const { input, draft } = draftFor(unlabelled, marked)
      const say = (place: number, ...answers: Json[]) =>
        answers.map((answer, i) => aSample(`label/${place}`, i, { answer }))
      const { output, outcomes } = adopt(input, draft, [
        ...say(0, 'good', 'good', 'good', 'good', 'bad'),
        ...say(1, 'bad', 'bad', 'bad', 'bad', 'bad'),
        ...say(2, 'good', 'bad', 'good', 'bad', 'good'),
        ...say(3, 'splendid', 'splendid', 'splendid', 'splendid', 'splendid'),
      ])
      expect(output.teacherRows).to.deep.equal([
        { id: 'u0', input: unlabelled[0]?.input, output: 'good', share: 0.8 },
        { id: 'u1', input: unlabelled[1]?.input, output: 'bad', share: 1 },
      ])
      expect(output.teacher.labels).to.deep.include({
        asked: 4,
        samples: 20,
        accepted: 2,
        disagreed: 1,
        refused_by_verifier: 1,
      })
      expect(outcomes.filter(({ outcome }) => outcome === 'majority')).to.have.length(17)
      const classifier = output.kinds.find(({ kind }) => kind === 'classifier')
      expect(classifier?.recipes[0]?.sampleId).to.equal('classifier-with-labels')
      expect(output.teacher.labels?.used_by_classifier).to.equal(true)
      const verdict = verifyCandidates({ ...input, sample: output, floor: 0.85 })
      expect(verdict.kinds.find(({ kind }) => kind === 'classifier')?.evaluation.n).to.equal(draft.split.holdout.length)
    })

    it('do not replace a classifier that was cross-fitted on all rows unless they make it better', () => {
      const { input, draft } = draftFor(unlabelled)
      const answers = Array.from({ length: 5 }, (_, i) => aSample('label/0', i, { answer: 'good' }))
      const { output } = adopt(input, draft, answers)
      expect(output.teacherRows).to.have.length(1)
      expect(output.teacher.labels?.used_by_classifier).to.equal(false)
      const classifier = output.kinds.find(({ kind }) => kind === 'classifier')
      expect([classifier?.recipes[0]?.sampleId, classifier?.folds?.length]).to.deep.equal(['classifier-1', 40])
    })
  })
})
