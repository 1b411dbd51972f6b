import type { ModelSettings } from '../../../activities/gateway/models/deps.ts'
import { openModels } from '../../../activities/gateway/models/open-models.ts'
import { createCodeSandbox } from '../../../activities/learn/bench/code-sandbox.ts'
import { openInstalledQuestions } from '../../../activities/learn/bench/installed-questions.ts'
import { webhookData } from '../../../activities/compile/hooks/webhook-data.ts'
import { openExtractor } from '../../../core/compile/documents/extract/extractor.ts'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Context } from '@temporalio/activity'
import { loadEnvironment } from '../../../config/environment.ts'
import type { RentalSettings } from '../../../core/compile/stages/rentals/settings.ts'
import { loadTemporalYaml, type TemporalYaml } from '../../../config/temporal-yaml.ts'
import { openBuildThreads } from '../../../core/learn/datasets/build/build-threads.ts'
import { openScoringThreads } from '../../../core/learn/evals/thread/scoring-threads.ts'
import { countThreads } from '../../../core/kernel/threads/cores.ts'
import { createComputeCores } from '../../../core/compile/stages/pool/compute-cores.ts'
import { openRecall } from '../../../db/compile/documents/recall/recall.ts'
import { openEmbedder } from '../../../core/model/embedding/embedder.ts'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import { findBase } from '../../../core/model/files/find-base.ts'
import { openGenerators } from '../../../core/model/generation/generators.ts'
import { canonicalJson, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { captureLearners } from '../../../db/learn/datasets/forget/flag-datasets.ts'
import { createJob, type CreatedJob } from '../../../db/compile/jobs/create-job.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { openOutbox } from '../../../db/kernel/outbox/outbox.ts'
import { createReceiptSecrets } from '../../../db/ledger/across/receipt-secrets.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'
import { applyTemporalYaml } from '../../../temporal/apply.ts'
import { createDataConverter } from '../../../temporal/data-converter.ts'
import { createTemporalClient, type TemporalClient } from '../../../temporal/client.ts'
import { createWorkflows } from '../../../temporal/workflows.ts'
import type { WorkerDeps } from '../../../workers/deps.ts'
import { startWorkers, type RunningWorkers } from '../../../workers/start-workers.ts'
import { workerDataFolder } from '../stack/caches.ts'
import { useDatabase, type TestDatabase } from '../stack/postgres.ts'
import { testStack } from '../stack/stack.ts'
import { testBundle } from './bundle.ts'
import { openHeldPool, type HeldPool, type Hold } from './held-pool.ts'
import { testLog } from './quiet-runtime.ts'

/** temporal.yaml of the project, without its schedules: tests run the chores themselves. */
export const TEMPORAL_YAML: TemporalYaml = {
  ...loadTemporalYaml(fileURLToPath(new URL('../../../temporal.yaml', import.meta.url))),
  schedules: {},
}

/** A suite's own database, Temporal namespace and workers, with the real activities. */
export interface TestService {
  readonly database: TestDatabase
  readonly temporal: TemporalClient
  readonly temporalAddress: string
  readonly deps: WorkerDeps
  /** Lets the next `k-sample` begin and hold still until the returned function is called or it is cancelled. */
  hold(): Hold
}

/** Runs the workers of the service in this process for the surrounding suite. */
export function useService(
  options: {
    readonly codecKey?: Uint8Array
    readonly withWorkers?: boolean
    /** Where base models are looked for; nowhere when absent. */
    readonly baseFolders?: readonly string[]
    /** Folder of the workspaces of tenants; read when the service starts. */
    readonly workspacesDir?: string
    readonly benchPacksDir?: string
    /** Rented machines of the operator; none when absent. */
    readonly rentals?: Partial<RentalSettings>
    /** Providers of the operator and its teacher; read when the service starts, none when absent. */
    readonly models?: () => Partial<ModelSettings>
    /** The deps of the workers, in place of those of the service. */
    readonly change?: (deps: WorkerDeps) => WorkerDeps
  } = {},
): TestService {
  const database = useDatabase()
  const stopping = new AbortController()
  const closers: (() => Promise<void> | void)[] = []
  let made: Omit<TestService, 'database' | 'hold'> | undefined
  let held: HeldPool | undefined
  before(async () => {
    const log = testLog()
    const { temporalAddress } = await testStack()
    const namespace = `test-${randomBytes(6).toString('hex')}`
    const temporal = createTemporalClient({
      address: temporalAddress,
      namespace,
      codecKey: options.codecKey,
      identity: 'test',
    })
    closers.push(() => temporal.close())
    await applyTemporalYaml(temporal, TEMPORAL_YAML)
    const { current: signer } = await loadSigningKeys(database.db)
    const secrets = createReceiptSecrets({ db: database.db, notifications: database.notifications })
    closers.push(() => secrets.close())
    held = openHeldPool()
    const { pool } = held
    closers.push(() => pool.close())
    const generators = openGenerators({
      open: async (name) => await openBaseModel(await findBase(name, options.baseFolders ?? [])),
      idleCloseMs: 1000,
    })
    closers.push(() => generators.close())
    const extractor = openExtractor(1)
    closers.push(() => extractor.close())
    const embedder = openEmbedder({ folders: options.baseFolders ?? [], threads: 1, idleCloseMs: 60_000 })
    closers.push(() => embedder.close())
    const cores = createComputeCores(2, DEFAULT_LIMITS)
    const recall = openRecall({ db: database.db, embedder, cores, limits: DEFAULT_LIMITS })
    closers.push(() => recall.close())
    const workflows = createWorkflows({ temporal, outbox: openOutbox(database.db), log })
    closers.push(() => workflows.settle())
    // Of what nothing but an activity requests: jobs that it lets in. Tests start the rest themselves.
    closers.push(
      database.db.onStart((workflowId) => {
        if (workflowId.startsWith('cmp_') && isInActivity()) workflows.startSoon(workflowId)
      }),
    )
    const scoring = openScoringThreads()
    closers.push(() => scoring.close())
    const builds = openBuildThreads(countThreads(cores))
    closers.push(() => builds.close())
    const models = openModels(
      { db: database.db, notifications: database.notifications, limits: DEFAULT_LIMITS, now: () => new Date() },
      { upstreams: {}, gatewayMode: 'cloud', teacher: null, ...options.models?.() },
    )
    closers.push(() => models.close())
    const deps: WorkerDeps = {
      db: database.db,
      temporal,
      workflows,
      pool,
      cores,
      limits: DEFAULT_LIMITS,
      teacher: null,
      baseFolders: options.baseFolders ?? [],
      generators,
      extractor,
      embedder,
      recall,
      workspacesDir: options.workspacesDir,
      signer,
      learners: captureLearners,
      models,
      codeSandbox: createCodeSandbox({
        db: database.db,
        isOn: true,
        searchPath: '',
        cacheFolder: join(workerDataFolder(), 'cache'),
        signal: stopping.signal,
        now: () => new Date(),
      }),
      builds,
      scoring,
      installedQuestions: openInstalledQuestions({
        scoring,
        folder: options.benchPacksDir,
        limits: DEFAULT_LIMITS,
        log,
      }),
      receiptKey: (tenantId) => secrets.current(tenantId),
      mailer: null,
      processor: null,
      publicUrl: undefined,
      webhookData: webhookData({ publicUrl: 'https://service.test' }),
      allowsPrivateEgress: true,
      rentals: { ...loadEnvironment({}).rentals, ...options.rentals },
      log,
      now: () => new Date(),
    }
    if (options.withWorkers !== false) {
      const { failureConverterPath } = createDataConverter(options.codecKey)
      const workers: RunningWorkers = await startWorkers(
        {
          environment: {
            temporalAddress,
            ...(options.codecKey === undefined ? {} : { codecKey: Buffer.from(options.codecKey) }),
          },
          workflowBundle: await testBundle(failureConverterPath),
          namespace,
          queues: TEMPORAL_YAML.queues,
          deps: options.change?.(deps) ?? deps,
          log,
        },
        stopping.signal,
      )
      closers.push(() => workers.stop())
    }
    made = { temporal, temporalAddress, deps }
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  const current = (): Omit<TestService, 'database' | 'hold'> => {
    if (made === undefined) throw new Error('the service is there once the tests run')
    return made
  }
  return {
    database,
    get temporal() {
      return current().temporal
    },
    get temporalAddress() {
      return current().temporalAddress
    },
    get deps() {
      return current().deps
    },
    hold() {
      if (held === undefined) throw new Error('the service is there once the tests run')
      return held.hold()
    },
  }
}

function isInActivity(): boolean {
  try {
    return Context.current() !== undefined
  } catch {
    return false
  }
}

/** Accepts a compile of these examples, as the API does. */
export async function submitJob(
  op: Operation,
  input: {
    readonly examples: readonly { readonly input: Json; readonly output: Json }[]
    /** Inputs without an output. */
    readonly unlabelled?: readonly Json[]
    readonly task?: string
    readonly floor?: number
    readonly baseModel?: string
    readonly choices?: JsonObject
  },
): Promise<CreatedJob> {
  const rows = input.examples.map((example, index) => ({ id: `row_${index + 1}`, ...example }))
  const others = (input.unlabelled ?? []).map((given, i) => ({ id: `u_${i + 1}`, input: given, unlabelled: true }))
  const lines = [...rows, ...others].map((row) => `${canonicalJson(row)}\n`)
  const { sha256 } = await putBlob(op.db, Buffer.from(lines.join('')))
  return await createJob(op, {
    spec: {
      task: input.task ?? 'Write the name with the family name first',
      baseModel: input.baseModel ?? 'none',
      kScoreFloor: input.floor ?? 0.5,
      extra: input.choices ?? {},
    },
    datasetSha256: sha256,
    rowCount: input.examples.length,
    plan: 'free',
    quota: null,
    chargedTo: CHARGED_TO_NOBODY,
    limits: DEFAULT_LIMITS,
  })
}

/** Forty names and how they stand in an index. */
export function nameExamples(): readonly { readonly input: string; readonly output: string }[] {
  const first = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Leslie']
  const last = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov']
  return first.flatMap((given) =>
    last.map((family) => ({ input: `${given} ${family}`, output: `${family}, ${given}` })),
  )
}

/** Outputs that nothing in their inputs explains. */
export function noiseExamples(count = 40): readonly { readonly input: string; readonly output: string }[] {
  let state = 12_345
  const next = (): string => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state.toString(36)
  }
  return Array.from({ length: count }, () => ({ input: next(), output: next() }))
}
