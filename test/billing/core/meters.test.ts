import { expect } from 'chai'
import { capsOf, METERS, softCapsOf } from '../../../core/billing/meters.ts'

describe('meters', () => {
  it('have one id each, eleven of which plans are priced by', () => {
    expect(new Set(METERS.map(({ id }) => id)).size).to.equal(METERS.length)
    expect(METERS.filter(({ isBillable }) => isBillable)).to.have.length(11)
  })

  it('are capped where the service refuses more, scaled to the quota', () => {
    const caps = capsOf({ plan: 'teams', quota: 1_000_000, unitsPerCall: 1, unitsPerEvent: 2, unitsPerBuild: 10 })
    expect(caps).to.deep.equal({
      quota_units: 1_000_000,
      gateway_calls: 1_000_000,
      captured_events: 500_000,
      builds: 100_000,
      team_seats: 5,
    })
    expect(softCapsOf(caps)).to.deep.equal({
      quota_units: 800_000,
      gateway_calls: 900_000,
      captured_events: 400_000,
      builds: 80_000,
      team_seats: 5,
    })
    expect(
      capsOf({ plan: 'free', quota: 100, unitsPerCall: 0, unitsPerEvent: 0, unitsPerBuild: 10 }),
    ).not.to.have.property('gateway_calls')
  })
})
