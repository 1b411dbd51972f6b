import { expect } from 'chai'
import { WORK_STAGES } from '../../../core/compile/rows/task.ts'
import { CompileProgressState } from '../../../workflows/compile/compile/progress.ts'

const VERDICT = {
  passed: true,
  kind: 'program',
  kScore: 0.97254,
  floor: 0.85,
  holdoutRows: 9,
  failingRows: 0,
} as const

describe('state of a compile', () => {
  it('goes through the stages to ready', () => {
    const state = new CompileProgressState(1)
    expect(state.snapshot()).to.deep.equal({
      stage: 'queued',
      status: 'running',
      fraction: 0,
      kScore: null,
      attempt: 1,
      errorCode: null,
    })
    const fractions = WORK_STAGES.map((stage) => {
      state.begin(stage)
      expect(state.label()).to.equal(stage)
      if (stage === 'verify') state.judge(VERDICT)
      state.complete(stage, `${stage} came to its end`)
      return state.snapshot().fraction
    })
    expect(fractions).to.deep.equal([0.2, 0.4, 0.6, 0.8, 1])
    state.finish('ready')
    expect(state.snapshot()).to.include({ stage: 'ready', status: 'ready', fraction: 1, kScore: 0.97254 })
    expect(state.label()).to.equal('ready')
    expect(state.describe()).to.equal(
      '**ready** · signed · a program, K 0.9725 reaches the floor 0.85 on 9 held-out rows · sign came to its end',
    )
  })

  it('keeps the stage in which it ended early, and the code', () => {
    const state = new CompileProgressState(2)
    state.begin('k-sample')
    state.finish('failed', 'train_holdout_leakage')
    expect(state.snapshot()).to.include({ stage: 'k-sample', status: 'failed', errorCode: 'train_holdout_leakage' })
    expect(state.describe()).to.equal('**failed** in the stage Searching · `train_holdout_leakage`')
    expect(state.label()).to.equal('failed')
    expect(() => state.begin('verify')).to.throw(/although the job is failed/)
  })

  it('tells a gated job from a signed one', () => {
    const state = new CompileProgressState(1)
    state.begin('verify')
    state.judge({ ...VERDICT, passed: false, kind: null, kScore: 0, failingRows: 9 })
    state.complete('verify', '9 rows fail')
    state.finish('gated', 'k_score_below_floor')
    expect(state.describe()).to.equal(
      '**gated** · nothing was signed · no recipe, K 0.0000 misses the floor 0.85 on 9 held-out rows · 9 rows fail',
    )
  })

  it('refuses to go back and to end a stage that does not run', () => {
    const state = new CompileProgressState(1)
    state.begin('k-sample')
    expect(() => state.complete('verify', '')).to.throw(/although k-sample runs/)
    state.complete('k-sample', '')
    state.begin('bundle')
    expect(() => state.begin('k-sample')).to.throw(/after bundle/)
  })
})
