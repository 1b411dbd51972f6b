import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { givenApiTenant, type ApiTenant, type OpenedApi } from '../../api.ts'
import { givenProgramVersion } from '../../archives/signed-artifacts.ts'
import { givenPlan, setUpOperation } from '../../people/given-members.ts'
import { ADDRESS_ROOM } from './address-room.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../house/api-fuzz/${name}`, import.meta.url))
/** A run of more than this is the last. */
const MOST_SECONDS = 60

const Report = z.object({
  stop_reason: z.string().nullable(),
  operations: z.object({ total: z.int(), tested: z.int() }),
  test_cases: z.object({ generated: z.int() }),
  /** Failures of one kind, and how many there are. */
  failures: z.array(z.looseObject({ count: z.int() })),
  errors: z.array(z.unknown()),
})

/** The report of a run, and what the program printed. */
export type FuzzRun = z.output<typeof Report> & { readonly stdout: string }

/** The API that is called, its keys, and how long. */
export interface FuzzOptions {
  /** A Python that has the packages of test/house/api-fuzz/requirements.lock. */
  readonly python: string
  readonly apiUrl: string
  readonly adminKey: string
  /** Seconds that the calls may take; start and end of the run come on top. */
  readonly seconds: number
  /** Calls of one kind to one operation at most; the time ends most runs earlier. */
  readonly cases: number
  readonly seed: string
}

/** Limits for a run: all calls come from one address, and none waits long for work, since Schemathesis gives up after 10 s. */
export const FUZZ_LIMITS: Readonly<Record<string, number>> = {
  ...ADDRESS_ROOM,
  ...Object.fromEntries(
    Object.keys(DEFAULT_LIMITS).flatMap((name) => (/^sync_\w+_wait_s$/.test(name) ? [[name, 1]] : [])),
  ),
}

/**
 * Runs Schemathesis with a scoped key, and for twice as long where that made no call: on a busy machine it may spend all of
 * its time on the document. Throws when it ends without a report, and when the key does not last.
 */
export async function fuzzApi(api: OpenedApi, options: FuzzOptions): Promise<FuzzRun> {
  const tenant = await givenFuzzTenant(api)
  const spare = await givenFuzzTenant(api)
  const post = async (path: string, body: object) => (await api.call('POST', path, { key: tenant.key, body })).body
  const scoped = await post('/v1/account/scoped-keys', { scopes: ['*'], label: 'Schemathesis' })
  const { scim_token: scimToken } = await post('/v1/account/sso/scim-token', {})
  const folder = await mkdtemp(join(tmpdir(), 'svc-fuzz-'))
  const env = {
    ...process.env,
    SVC_FUZZ_HOOKS: fileOf('hooks.py'),
    SVC_FUZZ_KEY: scoped.api_key,
    SVC_FUZZ_SPARE_KEY: spare.key,
    SVC_FUZZ_ADMIN_KEY: options.adminKey,
    SVC_FUZZ_SCIM_TOKEN: scimToken,
    SVC_FUZZ_TENANT: tenant.id,
    SVC_FUZZ_ARTIFACT: tenant.jobId,
    SVC_FUZZ_CONCEPT: tenant.conceptId,
  }
  try {
    for (let seconds = options.seconds; ; seconds *= 2) {
      const run = await runOnce({ ...options, seconds }, { folder, env })
      if (run.test_cases.generated === 0 && run.errors.length === 0 && seconds <= MOST_SECONDS) continue
      // The key has lasted: the calls were answered, not turned away.
      const last = await api.call('GET', '/v1/whoami', { key: scoped.api_key })
      if (last.status !== 200) throw new Error(`the key of the run is answered ${last.status}: ${last.text}`)
      return run
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function givenFuzzTenant(
  api: OpenedApi,
): Promise<ApiTenant & { readonly jobId: string; readonly conceptId: string }> {
  const { db } = api.server.services
  const tenant = await givenApiTenant(api)
  await givenPlan(db, tenant.id, 'enterprise')
  const { jobId, conceptId } = await givenProgramVersion(setUpOperation(db, tenant.id))
  return { ...tenant, jobId, conceptId }
}

async function runOnce(
  { python, apiUrl, seconds, cases, seed }: FuzzOptions,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<FuzzRun> {
  const report = join(folder, 'report.json')
  const options = { 'max-time': seconds, 'max-examples': cases, seed, report: 'json', 'report-json-path': report }
  const { stdout } = await promisify(execFile)(
    python,
    [
      '-m',
      'schemathesis.cli',
      '--config-file',
      fileOf('schemathesis.toml'),
      'run',
      `${apiUrl}/openapi.json`,
      '--no-color',
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    ],
    { cwd: folder, maxBuffer: 64 * 1024 * 1024, env },
  ).catch((error: unknown) => {
    // Failures end the program with 1; what they are stands in its output.
    if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) }
    throw error
  })
  return { stdout, ...Report.parse(JSON.parse(await readFile(report, 'utf8'))) }
}
