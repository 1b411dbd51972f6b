import { expect } from 'chai'
import { ADMIN_KEY, useApi } from '../../support/api.ts'
import { useFakeStripe } from '../../support/stripe/fake.ts'
import { stripeSettings } from '../../support/stripe/objects.ts'
import { FUZZ_LIMITS, fuzzApi } from '../../support/wire/walks/schemathesis.ts'
import { useService } from '../../support/workflows/service.ts'

/** Seconds that the calls may take; start and end of the run come on top. */
const SECONDS = Number(process.env['SVC_FUZZ_SECONDS'] ?? '15')
const IS_LONG = SECONDS > 60
const OVERHEAD_MS = 480_000

describe('the API under Schemathesis', () => {
  const service = useService({ withWorkers: false })
  const stripe = useFakeStripe()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    limits: FUZZ_LIMITS,
    settings: {
      isMailConfigured: true,
      get stripe() {
        return stripeSettings(stripe.url)
      },
    },
  })

  it('answers every call as its OpenAPI document says', async function () {
    const python = process.env['SVC_FUZZ_PYTHON'] ?? ''
    if (python === '') return this.skip()
    this.timeout(SECONDS * 1000 + OVERHEAD_MS)
    const seed = process.env['SVC_FUZZ_SEED'] ?? '1'
    const {
      stdout,
      failures,
      errors,
      operations,
      test_cases: cases,
    } = await fuzzApi(api, {
      python,
      apiUrl: api.url,
      adminKey: ADMIN_KEY,
      seconds: SECONDS,
      cases: IS_LONG ? 200 : 3,
      seed,
    })
    if (IS_LONG) process.stdout.write(`${stdout.slice(stdout.lastIndexOf('= SUMMARY ='))}\n`)
    expect([failures, errors], stdout).to.deep.equal([[], []])
    expect(cases.generated).to.be.greaterThan(0)
    // A short run on a busy machine does not get to all of them.
    if (IS_LONG) expect(operations.tested).to.equal(operations.total)
  })
})
