import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { openOutput } from '../../cli/terminal/output.ts'
import { resolveLimits } from '../../core/limits.ts'
import { runDemo } from '../../quickstart/demo.ts'
import { describePlaces } from '../../quickstart/places.ts'
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

  it('ends with the places that README and the guide of the gateway show', async () => {
    for (const [page, port] of [
      ['README.md', 28774],
      ['docs/guides/gateway.md', 27568],
    ] as const) {
      const places = describePlaces({
        apiUrl: 'http://127.0.0.1:8080',
        temporalUiUrl: `http://127.0.0.1:${port}`,
        logPath: '.svc/quickstart.log',
      })
      expect(await readFile(page, 'utf8')).to.contain(`\nwhere to look\n${places}\n`)
    }
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
