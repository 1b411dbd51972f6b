import { expect } from 'chai'
import { ApplicationFailure } from '@temporalio/activity'
import { toApplicationFailure } from '../../../activities/kernel/failures.ts'
import { ERROR_CODES, type ErrorCode } from '../../../core/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'

const CODES = Object.keys(ERROR_CODES).filter((code): code is ErrorCode => Object.hasOwn(ERROR_CODES, code))

describe('failures of activities', () => {
  it('carry the code as their type, are retried as the table says, and quote nothing', () => {
    for (const code of CODES) {
      const failure = toApplicationFailure(ERROR_CODES[code]('row_7 says "private"'), 1)
      expect(failure.type).to.equal(code)
      expect(failure.nonRetryable).to.equal(!ERROR_CODES[code].retryable)
      expect(`${failure.message}${failure.stack ?? ''}${String(failure.cause)}`).to.not.include('private')
    }
  })

  it('say that Postgres is away for what its driver throws then, and wait as long as asked', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const wrapped = new Error('query failed', { cause: refused })
    for (const error of [refused, wrapped, new Error('Connection terminated unexpectedly')]) {
      expect(toApplicationFailure(error, 40)).to.include({ type: 'store_unavailable', nonRetryable: false })
    }
    const later = toApplicationFailure(KERNEL_ERRORS.busy('busy', { retryAfterS: 3 }), 1)
    expect(later.nextRetryDelay).to.equal(3000)
  })

  it('retry unexpected errors only a few times', () => {
    expect(toApplicationFailure(new TypeError('x is not a function'), 1)).to.include({
      type: 'internal',
      nonRetryable: false,
    })
    expect(toApplicationFailure(new TypeError('x is not a function'), 5)).to.include({
      type: 'internal',
      nonRetryable: true,
    })
    const given = ApplicationFailure.create({ type: 'busy' })
    expect(toApplicationFailure(given, 9)).to.equal(given)
  })
})
