import { expect } from 'chai'
import { DomainError } from '../../../core/kernel/errors.ts'
import { roomOf } from '../../../core/kernel/storage/room.ts'
import { explainFailure } from '../../../db/kernel/faults/failures.ts'
import { TEST_LIMITS } from '../../support/api.ts'

describe('room for data', () => {
  const limits = {
    ...TEST_LIMITS,
    storage_reserve_bytes: 1000,
    storage_reserve_percent: 25,
    storage_resume_percent: 125,
  }
  const place = (totalBytes: number, freeBytes: number, reusableBytes = 0) =>
    ({ name: 'database', totalBytes, freeBytes, reusableBytes }) as const

  it('is low below the reserve, and no more only well above it', () => {
    expect(roomOf([place(10_000, 1001)], false, limits)).to.include({ isLow: false, intakeBytes: 1 })
    expect(roomOf([place(10_000, 1000)], false, limits)).to.include({ isLow: true, intakeBytes: 0 })
    expect(roomOf([place(10_000, 1200)], true, limits)).to.include({ isLow: true })
    expect(roomOf([place(10_000, 1251)], true, limits)).to.include({ isLow: false })
  })

  it('keeps a share of a small disk in reserve', () => {
    expect(roomOf([place(400, 101)], false, limits).isLow).to.equal(false)
    expect(roomOf([place(400, 100)], false, limits).isLow).to.equal(true)
  })

  it('counts what the database can reuse while the disk keeps half of the reserve for its log', () => {
    expect(roomOf([place(10_000, 600, 5000)], false, limits)).to.include({ isLow: false, intakeBytes: 4600 })
    expect(roomOf([place(10_000, 499, 5000)], false, limits)).to.include({ isLow: true })
  })

  it('is that of the tightest place', () => {
    const spool = { ...place(10_000, 100), name: 'spool' } as const
    expect(roomOf([place(10_000, 9000), spool], false, limits).tightest).to.include({ name: 'spool' })
    expect(roomOf([], false, limits)).to.include({ isLow: false })
  })

  it('that Postgres finds used up is 507, not a fault', () => {
    const explained = explainFailure(Object.assign(new Error('could not extend file'), { code: '53100' }))
    expect(explained).to.be.instanceOf(DomainError).and.include({ code: 'storage_full' })
  })
})
