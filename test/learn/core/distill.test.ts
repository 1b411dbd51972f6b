import { expect } from 'chai'
import { measured } from '../../../activities/learn/distill/measure/measured.ts'
import { failureText } from '../../../activities/learn/distill/failure-text.ts'
import { watchLines } from '../../../cli/learn/distill/watch-lines.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { planDataBudget } from '../../../core/learn/distill/data-budget.ts'
import { countAnswers } from '../../../core/learn/distill/read-answers.ts'
import { NO_COUNTS } from '../../../core/learn/distill/run.ts'
import { SPEND_UNKNOWN, spentUsd } from '../../../core/learn/distill/spend.ts'
import { trainRatioOf, trainRowsOf } from '../../../core/learn/distill/train-ratio.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

describe('distillation, its pure parts', () => {
  for (const count of [4, 30, 200]) {
    it(`plans a data budget of ${count} runs by the curve that they lie on, without holding up a request`, () => {
      const kAt = (n: number) => Math.exp(-(8 / (20 + n ** 0.6) + 0.05))
      const points = Array.from({ length: count }, (_, at) => Math.round(40 * 100 ** ((at + 0.5) / count)))
      const runs = points.map((pairs) => ({ pairs, kScore: kAt(pairs) }))
      const plan = () => planDataBudget(runs, { target: 0.93, current: 500 })
      const budget = plan()
      const times = [1, 2, 3].map(() => {
        const startedAt = process.threadCpuUsage()
        plan()
        return process.threadCpuUsage(startedAt).user / 1000
      })
      expect(Math.min(...times)).to.be.below(50)
      expect(budget).to.include({ basis: 'rectified', verdict: 'acquire', points: count })
      expect(budget.achievable_k_max).to.be.closeTo(Math.exp(-0.05), 0.001)
      expect(budget.expected_k_at_current).to.be.closeTo(kAt(500), 0.001)
      expect(budget.rmsd).to.be.below(0.001)
    })
  }

  it('shows each measured line of a run once, also lines of the same step', () => {
    const lines = watchLines()
    const fitted = { step: 5, loss: 0.5, attempt: 1, ts: '2026-01-01T00:00:00.000Z' }
    const scored = { step: 5, k_score: 0.9, attempt: 1, ts: '2026-01-01T00:00:00.000Z' }
    const run = { stage: 'train' as const, counts: NO_COUNTS, progress: [fitted] }
    expect(lines(run)).to.deep.equal(['train', '  step 5, loss 0.5000'])
    expect(lines(run)).to.deep.equal([])
    expect(lines({ ...run, progress: [fitted, scored] })).to.deep.equal(['  step 5, K 0.9000'])
  })

  it('does not know what a run has spent once the cost of an answer is unknown', () => {
    expect(spentUsd(null, 250_000)).to.equal(0.25)
    expect(spentUsd({ other: 1, ...SPEND_UNKNOWN }, 0)).to.equal(null)
  })

  it('gives a teacher up at the third unreadable answer in a row', () => {
    const answers = countAnswers()
    expect([answers.unreadable(), answers.unreadable()]).to.deep.equal([false, false])
    answers.read()
    expect([1, 2, 3].map(() => answers.unreadable())).to.deep.equal([false, false, true])
  })

  it('counts rows to learn from by the ratio that a run splits by', () => {
    expect([trainRowsOf(49), trainRowsOf(50), trainRatioOf(1000)]).to.deep.equal([49, 40, 0.8])
  })

  it('says of a run that ended early where the reason is', () => {
    expect(failureText('distill_failed')).to.match(/^the run ended early; error_code says why/)
  })

  it('records a lasting failure of measuring, and throws what may pass', async () => {
    const at = (attempt: number) => ({ attempt, signal: new AbortController().signal })
    const failing = (error: Error) => async () => await Promise.reject<number>(error)
    const lasting = MODEL_ERRORS.invalid_model('the base is gone')
    expect(await measured(SILENT, at(1), failing(lasting))).to.deep.equal({
      found: null,
      missing: { measured: false, error_code: 'invalid_model' },
    })
    const passing = KERNEL_ERRORS.store_unavailable('the store is away')
    const thrown = await measured(SILENT, at(1), failing(passing)).catch((error: unknown) => error)
    expect(thrown).to.equal(passing)
    expect(await measured(SILENT, at(5), failing(new Error('a bug')))).to.have.nested.property(
      'missing.error_code',
      'internal',
    )
    expect(await measured(SILENT, at(1), async () => await Promise.resolve(7))).to.deep.equal({
      found: 7,
      missing: null,
    })
  })
})
