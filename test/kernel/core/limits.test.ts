import { expect } from 'chai'
import { DEFAULT_LIMITS, resolveLimits } from '../../../core/limits.ts'

describe('limits', () => {
  it('are the defaults with what the operator overrides', () => {
    expect(resolveLimits(undefined)).to.equal(DEFAULT_LIMITS)
    expect(resolveLimits('{"session_days": 7}')).to.deep.equal({ ...DEFAULT_LIMITS, session_days: 7 })
  })

  it('say by name what is wrong with an override', () => {
    for (const [given, problem] of [
      ['{"sesion_days": 7}', 'unknown limits: sesion_days'],
      ['{"session_days": "7"}', 'session_days must be a number'],
      ['{"session_days": -1}', 'session_days must not be negative'],
      ['session_days=7', 'is not JSON'],
      ['[]', 'SVC_LIMITS'],
    ] as const) {
      expect(() => resolveLimits(given), given)
        .to.throw(/^SVC_LIMITS: /)
        .with.property('message')
        .that.contains(problem)
    }
  })
})
