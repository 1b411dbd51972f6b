import { expect } from 'chai'
import { tmpdir } from 'node:os'
import { openOutput } from '../../cli/terminal/output.ts'
import { resolveLimits } from '../../core/limits.ts'
import { runDemo } from '../../quickstart/demo.ts'
import { raiseSignups } from '../../quickstart/service.ts'
import { useApi } from '../support/api.ts'

describe('quickstart', () => {
  const api = useApi({ limits: { signups_per_ip_day: 0 } })

  it('makes room for its sign-ups in the service that it starts, unless the operator has set the limit', () => {
    expect(resolveLimits(raiseSignups(undefined))).to.include({ signups_per_ip_day: 100_000, session_days: 30 })
    expect(resolveLimits(raiseSignups('{"session_days":7}'))).to.include({
      signups_per_ip_day: 100_000,
      session_days: 7,
    })
    expect(resolveLimits(raiseSignups('{"signups_per_ip_day":3}'))).to.include({ signups_per_ip_day: 3 })
  })

  it('says what to do when a running service takes no more sign-ups', async () => {
    const demo = runDemo({ apiUrl: api.url, output: openOutput(true), archiveDir: tmpdir(), step: () => {} })
    const error = await demo.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).to.be.an('error').with.property('code', 'rate_limited')
    expect(String(error)).to.contain(api.url).and.to.contain('signups_per_ip_day')
  })
})
