import { expect } from 'chai'
import fc from 'fast-check'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import {
  pauseMs,
  withRetries,
  type RetryClock,
  type RetryPolicy,
} from '../../../core/gateway/protocol/upstream/retry.ts'
import { readRetryAfter } from '../../../core/gateway/protocol/upstream/retry-after.ts'
import { NEVER } from './given.ts'

const POLICY: RetryPolicy = { attempts: 4, baseMs: 100, maxMs: 2000, repeatsBilled: true }

function recordingClock(): RetryClock & { readonly slept: number[] } {
  const slept: number[] = []
  return {
    slept,
    sleep: async (ms) => void slept.push(ms),
    random: () => 0.5,
  }
}

describe('retries', () => {
  it('pauses between half of the exponential step and the whole, and never less than was asked for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, retryAfterS, random) => {
          const pause = pauseMs(POLICY, attempt, retryAfterS, random)
          const full = Math.min(POLICY.maxMs, POLICY.baseMs * 2 ** (attempt - 1))
          expect(pause).to.be.at.least(Math.max(full / 2, (retryAfterS ?? 0) * 1000))
          expect(pause).to.be.at.most(Math.max(full, (retryAfterS ?? 0) * 1000))
        },
      ),
    )
  })

  it('repeats what fails in passing, waits as long as the provider asks, and then succeeds', async () => {
    const clock = recordingClock()
    const failures = [
      new ProviderError('rate_limited', 'x', { status: 429, retryAfterS: 1.5 }),
      new ProviderError('overloaded', 'x', { status: 529 }),
    ]
    const answer = await withRetries(
      async (attempt) => {
        const failed = failures[attempt - 1]
        if (failed !== undefined) throw failed
        return attempt
      },
      POLICY,
      clock,
      NEVER,
    )
    expect(answer).to.equal(3)
    expect(clock.slept).to.deep.equal([1500, 150])
  })

  it('throws at once what no repetition mends, and what asks for a longer pause than the policy makes', async () => {
    for (const error of [
      new ProviderError('auth', 'x', { status: 401 }),
      new ProviderError('invalid_request', 'x', { status: 400 }),
      new ProviderError('rate_limited', 'x', { status: 429, retryAfterS: 3600 }),
    ]) {
      const clock = recordingClock()
      let attempts = 0
      const thrown = await withRetries(
        async () => {
          attempts++
          throw error
        },
        POLICY,
        clock,
        NEVER,
      ).catch((reason: unknown) => reason)
      expect(thrown).to.equal(error)
      expect([attempts, clock.slept]).to.deep.equal([1, []])
    }
  })

  it('gives up after the attempts of the policy', async () => {
    let attempts = 0
    await withRetries(
      async () => {
        attempts++
        throw new ProviderError('timeout', 'x')
      },
      POLICY,
      recordingClock(),
      NEVER,
    ).catch(() => undefined)
    expect(attempts).to.equal(4)
  })

  it('reads Retry-After in seconds, in milliseconds and as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const read = (headers: Record<string, string>): number | undefined => readRetryAfter(new Headers(headers), now)
    expect(read({ 'retry-after': '12' })).to.equal(12)
    expect(read({ 'retry-after-ms': '250', 'retry-after': '9' })).to.equal(0.25)
    expect(read({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' })).to.equal(60)
    expect(read({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).to.equal(0)
    expect(read({ 'retry-after': 'soon' })).to.equal(undefined)
    expect(read({})).to.equal(undefined)
  })
})
