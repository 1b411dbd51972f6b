import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { z } from 'zod'
import { ADMIN_KEY, givenApiTenant, TEST_LIMITS, useApi, type ApiTenant } from '../../support/api.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { useFakeStripe } from '../../support/stripe/fake.ts'
import { stripeSettings } from '../../support/stripe/objects.ts'
import { useService } from '../../support/workflows/service.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
/** Seconds that the calls may take; start and end of the run come on top. */
const SECONDS = Number(process.env['SVC_FUZZ_SECONDS'] ?? '15')
const SEED = process.env['SVC_FUZZ_SEED'] ?? '1'
const IS_LONG = SECONDS > 60
/** Calls of one kind to one operation at most; the time ends most runs earlier. */
const CASES = IS_LONG ? 200 : 3
const OVERHEAD_MS = 480_000
/** A run of more than this is the last. */
const MOST_SECONDS = 60

const Report = z.object({
  stop_reason: z.string().nullable(),
  operations: z.object({ total: z.int(), tested: z.int() }),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.unknown()),
  errors: z.array(z.unknown()),
})

/** The limits of addresses are out of the way: all calls come from one. */
const ROOM = Object.fromEntries(
  Object.keys(TEST_LIMITS)
    .filter((name) => name.includes('_per_ip_') || name.includes('_per_address_'))
    .map((name) => [name, 1_000_000]),
)

/** No call waits long for work: Schemathesis gives an answer up after 10 s. */
const WAITS = Object.fromEntries(
  Object.keys(TEST_LIMITS).flatMap((name) => (/^sync_\w+_wait_s$/.test(name) ? [[name, 1]] : [])),
)

/** Returns the arguments of Schemathesis. */
function argumentsFor(
  document: string,
  { report, seconds }: { readonly report: string; readonly seconds: number },
): string[] {
  const options = {
    'max-time': seconds,
    'max-examples': CASES,
    seed: SEED,
    report: 'json',
    'report-json-path': report,
  }
  return [
    '-m',
    'schemathesis.cli',
    '--config-file',
    fileOf('schemathesis.toml'),
    'run',
    document,
    '--no-color',
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  ]
}

type Run = z.output<typeof Report> & { readonly stdout: string }

/**
 * Runs Schemathesis for the time of this test, and for twice as long where that made no call: on a busy machine it may spend all of its time
 * on the document.
 */
async function runUntilCalled(run: (seconds: number) => Promise<Run>): Promise<Run> {
  for (let seconds = SECONDS; ; seconds *= 2) {
    const result = await run(seconds)
    if (result.test_cases.generated > 0 || result.errors.length > 0 || seconds > MOST_SECONDS) return result
  }
}

describe('the API under Schemathesis', () => {
  const service = useService({ withWorkers: false })
  const stripe = useFakeStripe()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    limits: { ...ROOM, ...WAITS },
    settings: {
      isMailConfigured: true,
      get stripe() {
        return stripeSettings(stripe.url)
      },
    },
  })

  const givenTenant = async (): Promise<ApiTenant & { readonly jobId: string; readonly conceptId: string }> => {
    const tenant = await givenApiTenant(api)
    await givenPlan(service.database.db, tenant.id, 'enterprise')
    const { jobId, conceptId } = await givenProgramVersion(setUpOperation(service.database.db, tenant.id))
    return { ...tenant, jobId, conceptId }
  }

  it('answers every call as its OpenAPI document says', async function () {
    const python = process.env['SVC_FUZZ_PYTHON'] ?? ''
    if (python === '') return this.skip()
    this.timeout(SECONDS * 1000 + OVERHEAD_MS)
    const tenant = await givenTenant()
    const post = async (path: string, body: object) => (await api.call('POST', path, { key: tenant.key, body })).body
    const scoped = await post('/v1/account/scoped-keys', { scopes: ['*'], label: 'Schemathesis' })
    const { scim_token: scimToken } = await post('/v1/account/sso/scim-token', {})
    const spare = await givenTenant()
    const folder = await mkdtemp(join(tmpdir(), 'svc-fuzz-'))
    try {
      const report = join(folder, 'report.json')
      const {
        stdout,
        failures,
        errors,
        operations,
        test_cases: cases,
      } = await runUntilCalled(async (seconds) => {
        const { stdout: printed } = await promisify(execFile)(
          python,
          argumentsFor(`${api.url}/openapi.json`, { report, seconds }),
          {
            cwd: folder,
            maxBuffer: 64 * 1024 * 1024,
            env: {
              ...process.env,
              SVC_FUZZ_HOOKS: fileOf('hooks.py'),
              SVC_FUZZ_KEY: scoped.api_key,
              SVC_FUZZ_SPARE_KEY: spare.key,
              SVC_FUZZ_ADMIN_KEY: ADMIN_KEY,
              SVC_FUZZ_SCIM_TOKEN: scimToken,
              SVC_FUZZ_TENANT: tenant.id,
              SVC_FUZZ_ARTIFACT: tenant.jobId,
              SVC_FUZZ_CONCEPT: tenant.conceptId,
            },
          },
        ).catch((error: unknown) => {
          // Failures end the program with 1; what they are stands in its output.
          if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) }
          throw error
        })
        return { stdout: printed, ...Report.parse(JSON.parse(await readFile(report, 'utf8'))) }
      })
      if (IS_LONG) process.stdout.write(`${stdout.slice(stdout.lastIndexOf('= SUMMARY ='))}\n`)
      expect([failures, errors], stdout).to.deep.equal([[], []])
      expect(cases.generated).to.be.greaterThan(0)
      // A short run on a busy machine does not get to all of them.
      if (IS_LONG) expect(operations.tested).to.equal(operations.total)
      // The key has lasted: the calls were answered, not turned away.
      const last = await api.call('GET', '/v1/whoami', { key: scoped.api_key })
      expect(last.status, last.text).to.equal(200)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
