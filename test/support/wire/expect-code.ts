import { expect } from 'chai'
import type { ErrorCode } from '../../../core/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'

/** Runs what must fail with that code, and answers the error. */
export async function expectCode(code: ErrorCode, work: () => unknown): Promise<DomainError> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    expect(error.code).to.equal(code)
    return error
  }
  throw new Error(`expected ${code}, but nothing was thrown`)
}
