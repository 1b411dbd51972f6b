import { expect } from 'chai'
import { DEFAULT_LIMITS, resolveLimits } from '../../../core/limits.ts'

describe('limits', () => {
  it('are the defaults with what the operator overrides', () => {
    expect(resolveLimits(undefined)).to.equal(DEFAULT_LIMITS)
    expect(resolveLimits('{"session_days": 7}')).to.deep.equal({ ...DEFAULT_LIMITS, session_days: 7 })
  })

  it('are whole numbers, but for times, money, shares and weights', () => {
    const parts = {
      sync_index_wait_s: 2.3,
      unpaid_compute_s_day_free: 0.5,
      preview_cpu_ms: 0.5,
      idempotency_hours: 1.5,
      dunning_days_1: 0.5,
      rental_usd_free: 0.5,
      compute_weight_free: 1.5,
      storage_reserve_percent: 2.5,
    }
    expect(resolveLimits(JSON.stringify(parts))).to.deep.equal({ ...DEFAULT_LIMITS, ...parts })
  })

  it('say by name what is wrong with an override', () => {
    for (const [given, problem] of [
      ['{"sesion_days": 7}', 'unknown limits: sesion_days'],
      ['{"session_days": "7"}', 'session_days must be a number'],
      ['{"session_days": -1}', 'session_days must not be negative'],
      ['{"gate_unit_rows": 0}', 'gate_unit_rows must be more than 0'],
      ['{"compute_weight_free": 0}', 'compute_weight_free must be more than 0'],
      ['{"loaded_recipes": 2.5}', 'loaded_recipes must be a whole number'],
      [
        '{"list_page": 0.5, "upload_bytes": 1.5}',
        'list_page must be a whole number; upload_bytes must be a whole number',
      ],
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
