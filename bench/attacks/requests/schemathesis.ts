import { FUZZ_LIMITS, fuzzApi } from '../../../test/support/wire/walks/schemathesis.ts'
import { behind } from '../../harness/behind.ts'
import { ROOM } from '../../harness/service.ts'
import { BENCH_ADMIN_KEY } from '../../harness/surroundings.ts'
import { atLeast, atMost, type Attack } from '../attack.ts'

const SECONDS = 35
const CASES = 10
const FEWEST_CALLS = 200

/**
 * Calls the routes with what Schemathesis makes of the OpenAPI document, right and wrong, from another seed than the test.
 * It needs `SVC_FUZZ_PYTHON`, as the test does.
 */
export const schemathesis: Attack = {
  name: 'schemathesis',
  limits: { ...ROOM, ...FUZZ_LIMITS },
  run: async (service) =>
    await behind(service, async (api) => {
      const python = process.env['SVC_FUZZ_PYTHON'] ?? ''
      if (python === '') {
        console.log('  left out: SVC_FUZZ_PYTHON is not set; .ci/run installs the packages')
        return [atLeast('calls made', 0, FEWEST_CALLS)]
      }
      const { apiUrl } = service
      const options = { python, apiUrl, adminKey: BENCH_ADMIN_KEY, seconds: SECONDS, cases: CASES, seed: '11' }
      const { stdout, failures, errors, operations, test_cases: cases } = await fuzzApi(api, options)
      if (failures.length + errors.length > 0) console.log(stdout.slice(stdout.indexOf('= FAILURES =')))
      return [
        atLeast('calls made', cases.generated, FEWEST_CALLS),
        atLeast('operations called', operations.tested, operations.total / 2),
        atMost(
          'violations of the OpenAPI document',
          failures.reduce((sum, { count }) => sum + count, 0),
        ),
        atMost('errors of the run', errors.length),
      ]
    }),
}
