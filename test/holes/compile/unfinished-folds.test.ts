import { factsOf } from '../../../core/compile/rows/intake/example.ts'
import { expect } from 'chai'
import { WorkflowFailedError } from '@temporalio/client'
import { failureOf } from '../../../api/compile/submit/failure.ts'
import { presentJob } from '../../../api/compile/jobs/present-job.ts'
import { previewCompile } from '../../../core/compile/stages/preview/preview.ts'
import { sampleCandidates } from '../../../core/compile/stages/sample/sample.ts'
import type { SampleOutput } from '../../../core/compile/stages/stage-types.ts'
import { verifyCandidates } from '../../../core/compile/stages/judge/verify.ts'
import type { Row } from '../../../core/compile/rows/task.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { nameRows, rowsOf } from '../../compile/core/rows/given-rows.ts'
import { givenTenant } from '../../support/db/given.ts'
import { submitJob, useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const PEOPLE = [
  ['Kofi Lehtinen', 'acme', '620-1477'],
  ['Hugo Petrov', 'bluefin', '541-5270'],
  ['Priya Wu', 'kestrel', '203-9981'],
  ['Ilse Maurer', 'orbit', '778-1002'],
  ['Bruno Castell', 'lumen', '310-4456'],
  ['Gwen Ng', 'vireo', '915-7733'],
  ['Marek Takeda', 'tandem', '402-6120'],
  ['Zora Fontana', 'acme', '650-3399'],
  ['Yusuf Olsen', 'orbit', '212-8854'],
  ['Dana Silva', 'lumen', '847-2046'],
  ['Farid Hoang', 'kestrel', '530-9917'],
  ['Lotte Xanthos', 'bluefin', '361-5508'],
] as const

/** Lines about people, read into objects of three members: a search of some 100,000 steps. */
const contactRows = (): readonly Row[] =>
  rowsOf(
    PEOPLE.map(([name, firm, phone]) => {
      const email = `${name.split(' ')[0] ?? ''}@${firm}.com`.toLowerCase()
      return [`${name} <${email}> ${phone}`, { name, email, phone }] as const
    }),
  )

/** Messages for three desks: a program comes out of the first few thousand steps, and the search continues after them. */
const MESSAGES = [
  ['The oven makes a strange noise', 'repair'],
  ['Can I pay the kettle in parts', 'billing'],
  ['Where is the receipt for the piano', 'billing'],
  ['The shelf does not turn on', 'repair'],
  ['The drill does not turn on', 'repair'],
  ['The parcel with the piano is late', 'shipping'],
  ['The price of the kettle on the bill is too high', 'billing'],
  ['The invoice for my lamp is wrong', 'billing'],
  ['My oven stopped working', 'repair'],
  ['There is a crack in the heater', 'repair'],
  ['I was charged twice for the desk', 'billing'],
  ['Please refund the sofa', 'billing'],
  ['Can you fix my camera', 'repair'],
  ['Can you ship the stool to Bern', 'shipping'],
  ['The price of the shelf on the bill is too high', 'billing'],
] as const

const deskExamples = () => MESSAGES.map(([input, output]) => ({ input, output }))

const common = (rows: readonly Row[]) => ({ task: 'As the examples do.', rows, negatives: [], facts: factsOf(rows) })

const sampled = (rows: readonly Row[]): SampleOutput => sampleCandidates({ ...common(rows), k: 4, budgetMs: 30_000 })

/** The same sample with a fold of its programs that was not finished. */
const withOpenFold = (sample: SampleOutput, id: string): SampleOutput => ({
  ...sample,
  kinds: sample.kinds.map((kind) => ({
    ...kind,
    folds:
      kind.kind !== 'program' || kind.folds === null
        ? kind.folds
        : kind.folds.map((fold) =>
            fold.id === id ? { ...fold, output: null, error: 'out_of_budget' as const } : fold,
          ),
  })),
})

describe('folds of cross-fitting', () => {
  it('have the whole budget of a search each, so that a right recipe is not scored as wrong', () => {
    const rows = contactRows()
    const sample = sampleCandidates({ ...common(rows), k: 8, budgetMs: 30_000, workBudget: 400_000 })
    const { kScore, gate } = verifyCandidates({ ...common(rows), sample, floor: 0.85 })
    expect(gate.failing_rows).to.deep.equal([])
    expect(kScore).to.include({ n: 12, accuracy: 1 })
  })

  it('that the clock ends are not evaluated, whatever they found until then', () => {
    const rows = contactRows()
    const sample = sampleCandidates({ ...common(rows), k: 4, budgetMs: 30_000, allSearchesMs: 0 })
    const [program] = sample.kinds
    expect(program?.folds?.map(({ error }) => error)).to.deep.equal(rows.map(() => 'out_of_budget'))
  })

  it('that were not finished are never scored: the evaluation fails and names their rows', () => {
    const rows = nameRows()
    const sample = withOpenFold(sampled(rows), 'row_3')
    const judge = () => verifyCandidates({ ...common(rows), sample, floor: 0.85 })
    expect(judge).to.throw(DomainError, '1 of 10 rows could not be evaluated for the kind program (row_3)')
    try {
      judge()
    } catch (error) {
      expect(error).to.deep.include({
        code: 'evaluation_incomplete',
        details: { not_evaluated: [{ kind: 'program', rows: 1, of: 10, row_ids: ['row_3'] }] },
      })
    }
    const dry = verifyCandidates({ ...common(rows), sample, floor: 0.85, partial: true })
    expect(dry.kScore).to.include({ n: 9, accuracy: 1 })
    expect(dry.notEvaluated.map(({ row_ids: ids }) => ids)).to.deep.equal([['row_3']])
  })

  it('of a kind that may not ship do not fail the others', () => {
    const rows = rowsOf(deskExamples().map(({ input, output }) => [input, output] as const))
    const sample = withOpenFold(sampled(rows), 'row_1')
    expect(sample.kinds.map(({ kind }) => kind)).to.deep.equal(['program', 'classifier'])
    const verdict = verifyCandidates({ ...common(rows), sample, floor: 0, recipeKind: 'classifier' })
    expect(verdict.chosen?.kind).to.equal('classifier')
    expect(verdict.kinds.map(({ kind }) => kind)).to.deep.equal(['classifier'])
    expect(verdict.notApplicable.map(({ reason }) => reason).join()).to.include('1 of 15 rows could not be evaluated')
  })

  it('that a dry run has no time for are named, and not scored', () => {
    const rows = contactRows()
    try {
      const preview = previewCompile({ task: 'x', rows, floor: 0.5, budgetMs: 900 })
      const open = preview.warnings.filter(({ code }) => code === 'not_evaluated')
      // However many folds fit into the time: those that were evaluated are right, and the others are not counted.
      expect(preview.accuracy).to.equal(1)
      expect(open.length).to.equal(preview.n < rows.length ? 1 : 0)
      expect(preview.accepted).to.equal(preview.n === rows.length)
    } catch (error) {
      expect(error).to.include({ code: 'preview_timeout' })
    }
  })

  it('leave a search without a result open when the clock ended it', () => {
    const rows = contactRows()
    const sample = sampleCandidates({ ...common(rows), k: 4, budgetMs: 0 })
    expect(sample.kinds).to.deep.equal([])
    expect(() => verifyCandidates({ ...common(rows), sample, floor: 0 }))
      .to.throw(DomainError, 'reached its time limit before it found a recipe')
      .with.property('code', 'evaluation_incomplete')
  })

  describe('of a job', () => {
    const service = useService({
      change: (deps) => ({ ...deps, limits: { ...DEFAULT_LIMITS, synthesis_budget_ms: 0 } }),
    })

    it('end it as failed with evaluation_incomplete, its slot and charge given back', async () => {
      const { op } = await givenTenant(service.database.db)
      const { job } = await submitJob(op, { examples: deskExamples(), floor: 0.5 })
      await service.deps.workflows.start(job.id)
      const run = service.temporal.client.workflow.getHandle(job.id).result()
      const ending = await run.catch((error: unknown) => error)
      expect(ending).to.be.instanceOf(WorkflowFailedError)
      const failed = await findJob(op, job.id)
      expect(failed).to.include({ status: 'failed', errorCode: 'evaluation_incomplete', kScore: null, versionId: null })
      const view = await presentJob(op, failed)
      expect(view.not_evaluated?.[0]).to.include({ kind: 'program', rows: 15, of: 15 })
      expect(view.not_evaluated?.[0]?.row_ids).to.include('row_1')
      expect(failureOf(failed)).to.deep.include({ code: 'evaluation_incomplete' })
      expect(failureOf(failed).details?.['not_evaluated']).to.deep.equal(view.not_evaluated)
      const reserved = await sendSql(op.db, 'select state from quota_reservations where job_id = $1', [job.id])
      const used = await sendSql(op.db, 'select used_units::int as used from quota_periods where tenant_id = $1', [
        op.tenantId,
      ])
      expect([reserved, used]).to.deep.equal([[{ state: 'released' }], [{ used: 0 }]])
      const { job: next } = await submitJob(op, { examples: deskExamples() })
      expect(next.admittedAt).not.to.equal(null)
    })
  })
})
